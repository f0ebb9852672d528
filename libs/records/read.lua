-- keys: holders marks watch records...
-- args: outage_after_ms window_ms server owners...
-- The time, until when nothing expires (D-11), and of each record its names and values in turn, the holder of its owner's seat, and the
-- owner's mark. The owner is the record's own; the argument is used where there is no record. A key that is no hash is `unreadable`, and
-- the others are read all the same. A view written on another server is not read (D-24).
local watched = redis.call('HMGET', watch, 'swept', 'amnesty', 'view')
if server ~= '' and watched[3] ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local amnesty = tonumber(watched[2] or 0)
if watched[1] and now - watched[1] > tonumber(outage_after_ms) then amnesty = now + window_ms end
local function found(record, asked)
  local known = redis.pcall('HMGET', record, 'owner', 'O')
  if known.err then return 'unreadable' end
  local seat = known[1] or known[2] or asked
  local function at(hash) return redis.call('HGET', hash, seat) or '' end
  return { redis.call('HGETALL', record), at(holders), at(marks) }
end
local answers = {}
for index, record in ipairs(records) do answers[index] = found(record, owners[index]) end
return { now, amnesty, answers }
