-- keys: expiries marks watch records...
-- args: window_ms usual_window_ms server interval_ms burst answer_by_ms callers...
-- The heartbeats of sessions that play, belong to their callers, are not overdue and whose launchers neither lapsed nor ended: what `beat` of
-- core/session.ts makes of them, in one round trip. `callers` are three of each: the session's id, and its game and user. Answers the
-- instant, and of each session its record's names and values in turn, a line each, which costs who reads them a third of what a list does.
-- Where there is more to say the answer is empty: core/deadlines.ts decides. So it is after `answer_by_ms`: the caller may have been refused, and
-- what lay before us since then is nobody's play (D-09). Each takes a token of the session's bucket, as in commit.lua;
-- where it has none, nothing is written, and the answer is how long that takes, in ms (D-42). It begins with bucket.lua.
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local is_awaited = now <= tonumber(answer_by_ms)
local function beat(record, id, game_id, provider_user_id)
  -- The names of session-form.ts: state, if it is not active, game, user, start, last sign of life, and how long after it the deadline
  -- is, if that is not as usual; and those of commit.lua. Where JSON stands beside them, a version that knows no others wrote it later (D-57).
  local known = redis.pcall('HMGET', record, 'json', 's', 'g', 'u', 'b', 'h', 'd', 'V', 'O', 'F')
  if known.err then return '' end
  local json, state, game, user, started_at, seen_at, due_after, version, owner, full_at = unpack(known, 1, 10)
  if json or state or not version or not owner or game ~= game_id or user ~= provider_user_id then return '' end
  local after = tonumber(due_after or usual_window_ms)
  local due_at = tonumber(seen_at) and after and seen_at + after
  if not tonumber(version) or not tonumber(started_at) or not due_at or now >= due_at then return '' end
  local mark = redis.call('HGET', marks, owner)
  if mark and not string.find(mark, '^%d+ started ') then return '' end
  full_at = full_from(full_at, now, burst * interval_ms) + interval_ms
  local missing = full_at - now - burst * interval_ms
  if missing >= 1 then return math.ceil(missing) end
  -- As `notBeforeSeenMs` of core/session.ts.
  local seen = tonumber(seen_at) <= now + 300000 and math.max(now, seen_at) or now
  local played = math.max(0, math.floor((seen - started_at) / 1000))
  redis.call('HSET', record, 'h', seen, 't', played, 'V', version + 1, 'F', string.format('%.0f', full_at))
  if due_after or window_ms ~= usual_window_ms then redis.call('HSET', record, 'd', window_ms) end
  redis.call('ZADD', expiries, seen + window_ms, id)
  return table.concat(redis.call('HGETALL', record), '\n')
end
local answers = {}
for index, record in ipairs(records) do
  local caller = 3 * (index - 1)
  answers[index] = is_awaited and beat(record, callers[caller + 1], callers[caller + 2], callers[caller + 3]) or ''
end
return { now, answers }
