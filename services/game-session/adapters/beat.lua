-- keys: expiries marks watch records...
-- args: window_ms server interval_ms burst callers...
-- The heartbeats of sessions that play, belong to their callers, are not overdue and whose launchers neither lapsed nor ended: what `beat` of
-- core/session.ts makes of them, in one round trip. `callers` are three of each: the session's id, and its game's and user's fields of the
-- record's JSON, as they stand in it: a quote within a value has a backslash before it. Answers the instant, and of each session its JSON,
-- its seconds of play, and 0. Where there is more to say the JSON is empty: core/deadlines.ts decides. Each takes a token of the session's
-- bucket, as in commit.lua; where it has none, nothing is written, and the third answer is how long that takes, in ms (D-42).
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local deadline = now + window_ms
local function beat(record, id, game_id, provider_user_id)
  local fields = redis.call('HMGET', record, 'version', 'json', 'owner', 'full_at')
  local json = fields[2]
  local function has(field) return string.find(json, field, 1, true) end
  if not json or not (has('"state":"active"') and has(game_id) and has(provider_user_id)) then return '', 0, 0 end
  local mark = redis.call('HGET', marks, fields[3])
  if mark and not string.find(mark, '^%d+ started ') then return '', 0, 0 end
  local function place(name)
    local _, colon = string.find(json, '"' .. name .. '":', 1, true)
    return colon, string.find(json, '[,}]', colon + 1)
  end
  local function get(name)
    local colon, comma = place(name)
    return tonumber(string.sub(json, colon + 1, comma - 1))
  end
  local function set(name, value)
    local colon, comma = place(name)
    json = string.sub(json, 1, colon) .. value .. string.sub(json, comma)
  end
  if now >= get('deadline_at_ms') then return '', 0, 0 end
  local full_at = math.max(now, tonumber(fields[4] or 0)) + interval_ms
  local missing = full_at - now - burst * interval_ms
  if missing >= 1 then return '', 0, math.ceil(missing) end
  local version = fields[1] + 1
  local played = math.max(0, math.floor((now - get('started_at_ms')) / 1000))
  set('version', version)
  set('last_seen_at_ms', now)
  set('play_duration_sec', played)
  set('deadline_at_ms', deadline)
  redis.call('HSET', record, 'version', version, 'json', json, 'full_at', string.format('%.0f', full_at))
  redis.call('ZADD', expiries, deadline, id)
  return json, played, 0
end
local answers = {}
for index, record in ipairs(records) do
  local caller = 3 * (index - 1)
  answers[index] = { beat(record, callers[caller + 1], callers[caller + 2], callers[caller + 3]) }
end
return { now, answers }
