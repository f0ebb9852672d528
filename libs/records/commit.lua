-- keys: deadlines expiries holders watch records...
-- args: commits server
-- Compare-and-set. Answers the instant, and of each commit, in turn, whether all of its changes were made or none: `committed`, or `conflict`.
-- A change names the version that was read (0: no record), and a `seat` the holder that was read (empty: nobody). Without `fields` the record
-- is deleted. `live` tells in which of the two sets the deadline stands: expiries, or others; one that `lingers` is in none, and Redis forgets
-- it at its deadline. What was decided without a read names the instant that was supposed: it must lie within the last half a second (D-66). A
-- change with a `limit` takes a token of the record's own bucket, whose `full_at` is the instant at which it is full again: where it has none,
-- nothing of the commit is written, and the answer is how long that takes, in ms (D-42). A key that is no hash is `unreadable`. A packed record
-- calls its version, its owner and that instant V, O and F; where names of both kinds stand, a version that knows JSON alone wrote the long
-- ones later (D-57).
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local supposed_within_ms = 500
local function isPresent(at_ms) return at_ms <= now and now <= at_ms + supposed_within_ms end
-- What keeps a change from being made; nil: nothing does.
local function hindrance(change, record)
  local known = redis.pcall('HMGET', record, 'version', 'full_at', 'V', 'F')
  if known.err then return 'unreadable' end
  local version, full_at_before = known[1] or known[3] or 0, known[2] or known[4]
  local limit = change.limit
  change.full_at = full_at_before
  if change.supposed_at_ms and not isPresent(change.supposed_at_ms) then return 'conflict' end
  if limit then
    local all_ms = limit.burst * limit.interval_ms
    local full_at = full_from(full_at_before, limit.at_ms, all_ms) + limit.interval_ms
    local missing = full_at - limit.at_ms - all_ms
    if missing >= 1 then return math.ceil(missing) end
    change.full_at = string.format('%.0f', full_at)
  end
  if tonumber(version) ~= change.version_before then return 'conflict' end
  local seat = change.seat
  if seat and (redis.call('HGET', holders, change.owner) or '') ~= seat.before then return 'conflict' end
end
local function make(change, record)
  redis.call('ZREM', change.live and deadlines or expiries, change.id)
  redis.call('DEL', record)
  if change.fields then
    redis.call('HSET', record, unpack(change.fields))
    if change.full_at then redis.call('HSET', record, change.fields[1] == 'V' and 'F' or 'full_at', change.full_at) end
  end
  if change.lingers then redis.call('PEXPIREAT', record, change.deadline_at_ms) end
  if change.fields and not change.lingers then
    redis.call('ZADD', change.live and expiries or deadlines, change.deadline_at_ms, change.id)
  else
    redis.call('ZREM', deadlines, change.id)
  end
  local seat = change.seat
  if seat and seat.after == '' then redis.call('HDEL', holders, change.owner) end
  if seat and seat.after ~= '' then redis.call('HSET', holders, change.owner, seat.after) end
end
local answers, first = {}, 1
for index, changes in ipairs(cjson.decode(commits)) do
  local answer
  for at, change in ipairs(changes) do answer = answer or hindrance(change, records[first + at - 1]) end
  if not answer then
    for at, change in ipairs(changes) do make(change, records[first + at - 1]) end
  end
  answers[index] = answer or 'committed'
  first = first + #changes
end
return { now, answers }
