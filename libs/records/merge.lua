-- keys: deadlines expiries holders contests records...
-- args: changes
-- Writes records of the log where nothing newer is stored (D-24). One that is `live` takes its owner's seat if it is free, one that is not
-- leaves it. What is live no more does not live again, however high the version of what a server that was lost wrote last (I6), whichever
-- of the two is merged first. Two live records of one owner are noted as a contest, which is settled when the whole log is known.
for i, change in ipairs(cjson.decode(changes)) do
  local known = tonumber(redis.call('HGET', records[i], 'version') or 0)
  local holder = redis.call('HGET', holders, change.owner)
  local over = change.live and redis.call('ZSCORE', deadlines, change.id)
  local ends = not change.live and redis.call('ZSCORE', expiries, change.id)
  if (change.version > known or ends) and not over then
    redis.call('HSET', records[i], 'version', change.version, 'json', change.json, 'owner', change.owner)
    redis.call('ZREM', change.live and deadlines or expiries, change.id)
    redis.call('ZADD', change.live and expiries or deadlines, change.deadline_at_ms, change.id)
    if not change.live and holder == change.id then redis.call('HDEL', holders, change.owner) end
  end
  if change.live and change.version >= known and not over then
    if not holder then redis.call('HSET', holders, change.owner, change.id) end
    if holder and holder ~= change.id then redis.call('SADD', contests, change.id, holder) end
  end
end
return 'merged'
