-- keys: holders marks watch records...
-- args: outage_after_ms window_ms server owners...
-- The time, until when nothing expires (D-11) and nobody's silence is believed (D-25), and of each record its names and values in turn, the
-- holder of its owner's seat, and the owner's mark. The owner is the record's own; the argument is used where there is no record. A key that is no hash is `unreadable`, and
-- the others are read all the same. It begins with amnesty.lua: a view written on another server is not read (D-24).
local function found(record, asked)
  local known = redis.pcall('HMGET', record, 'owner', 'O')
  if known.err then return 'unreadable' end
  local seat = known[1] or known[2] or asked
  local function at(hash) return redis.call('HGET', hash, seat) or '' end
  return { redis.call('HGETALL', record), at(holders), at(marks) }
end
local answers = {}
for index, record in ipairs(records) do answers[index] = found(record, owners[index]) end
return { now, amnesty, suspended, answers }
