-- keys: deadlines expiries holders watch records...
-- args: changes server
-- Compare-and-set: all changes or none. A change names the version that was read (0: no record), and a `seat` the holder that was read
-- (empty: nobody). Without `json` the record is deleted. `live` tells in which of the two sets the deadline stands: expiries, or others.
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
local list = cjson.decode(changes)
for i, change in ipairs(list) do
  if tonumber(redis.call('HGET', records[i], 'version') or 0) ~= change.version_before then return 'conflict' end
  local seat = change.seat
  if seat and (redis.call('HGET', holders, change.owner) or '') ~= seat.before then return 'conflict' end
end
for i, change in ipairs(list) do
  redis.call('ZREM', change.live and deadlines or expiries, change.id)
  if change.json then
    redis.call('HSET', records[i], 'version', change.version, 'json', change.json, 'owner', change.owner)
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
