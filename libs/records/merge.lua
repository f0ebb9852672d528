-- keys: deadlines expiries holders contests records...
-- args: fields...
-- Writes records of the log where nothing newer is stored (D-24). One that is `live` takes its owner's seat if it is free, one that is not
-- leaves it. What is live no more does not live again, however high the version of what a server that was lost wrote last (I6), whichever
-- of the two is merged first. Two live records of one owner are noted as a contest, which is settled when the whole log is known. Each
-- record has six fields: its id, its owner, version and deadline, whether it is live (1 or 0), and its JSON.
for i, record in ipairs(records) do
  local id, owner, version, deadline, live, json = unpack(fields, 6 * i - 5, 6 * i)
  live = live == '1'
  local known = tonumber(redis.call('HGET', record, 'version') or 0)
  local holder = redis.call('HGET', holders, owner)
  local over = live and redis.call('ZSCORE', deadlines, id)
  local ends = not live and redis.call('ZSCORE', expiries, id)
  if (tonumber(version) > known or ends) and not over then
    redis.call('HSET', record, 'version', version, 'json', json, 'owner', owner)
    redis.call('ZREM', live and deadlines or expiries, id)
    redis.call('ZADD', live and expiries or deadlines, deadline, id)
    if not live and holder == id then redis.call('HDEL', holders, owner) end
  end
  if live and tonumber(version) >= known and not over then
    if not holder then redis.call('HSET', holders, owner, id) end
    if holder and holder ~= id then redis.call('SADD', contests, id, holder) end
  end
end
return 'merged'
