-- keys: deadlines expiries holders marks records...
-- args: changes
-- Writes records of the log where nothing newer is stored (D-24). One that is `live` takes its owner's seat, one that is not leaves it.
-- `mark` is the text that the owner was last marked with. Answers how many were newer.
local applied = 0
for i, change in ipairs(cjson.decode(changes)) do
  local known = tonumber(redis.call('HGET', records[i], 'version') or 0)
  if change.mark then redis.call('HSET', marks, change.owner, change.mark) end
  local holder = redis.call('HGET', holders, change.owner)
  if change.version > known then
    applied = applied + 1
    redis.call('HSET', records[i], 'version', change.version, 'json', change.json, 'owner', change.owner)
    redis.call('ZREM', change.live and deadlines or expiries, change.id)
    redis.call('ZADD', change.live and expiries or deadlines, change.deadline_at_ms, change.id)
    if change.live then redis.call('HSET', holders, change.owner, change.id) end
    if not change.live and holder == change.id then redis.call('HDEL', holders, change.owner) end
  elseif change.live and change.version == known and not holder then
    redis.call('HSET', holders, change.owner, change.id)
  end
end
return applied
