-- keys: deadlines expiries holders watch records...
-- args: changes server
-- Compare-and-set: all changes or none. A change names the version that was read (0: no record), and a `seat` the holder that was read
-- (empty: nobody). Without `json` the record is deleted. `live` tells in which of the two sets the deadline stands: expiries, or others.
-- A change with a `limit` takes a token of the record's own bucket, whose `full_at` is the instant at which it is full again: where it has
-- none, nothing is written, and the answer is how long that takes, in ms (D-42).
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
local list = cjson.decode(changes)
for i, change in ipairs(list) do
  local known = redis.call('HMGET', records[i], 'version', 'full_at')
  local limit = change.limit
  if limit then
    change.full_at = math.max(limit.at_ms, tonumber(known[2] or 0)) + limit.interval_ms
    local missing = change.full_at - limit.at_ms - limit.burst * limit.interval_ms
    if missing >= 1 then return math.ceil(missing) end
  end
  if tonumber(known[1] or 0) ~= change.version_before then return 'conflict' end
  local seat = change.seat
  if seat and (redis.call('HGET', holders, change.owner) or '') ~= seat.before then return 'conflict' end
end
for i, change in ipairs(list) do
  redis.call('ZREM', change.live and deadlines or expiries, change.id)
  if change.json then
    redis.call('HSET', records[i], 'version', change.version, 'json', change.json, 'owner', change.owner)
    if change.full_at then redis.call('HSET', records[i], 'full_at', string.format('%.0f', change.full_at)) end
    redis.call('ZADD', change.live and expiries or deadlines, change.deadline_at_ms, change.id)
  else
    redis.call('DEL', records[i])
    redis.call('ZREM', deadlines, change.id)
  end
  local seat = change.seat
  if seat and seat.after == '' then redis.call('HDEL', holders, change.owner) end
  if seat and seat.after ~= '' then redis.call('HSET', holders, change.owner, seat.after) end
end
return 'committed'
