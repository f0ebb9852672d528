-- keys: deadlines expiries holders contests records...
-- args: changes
-- Writes records of the log where nothing newer is stored (D-24). One that is `seated` takes its owner's seat if it is free, one that is
-- not leaves it. What is live no more does not live again, however high the version of what a server that was lost wrote last (I6), whichever
-- of the two is merged first; nor does anything take the place of what lingers (which Redis alone forgets) but what lingers itself (I1). One
-- that `stands` does so against what has a deadline. What takes the place of a version as high as its own gets
-- one higher, so that who has read the other commits nothing; but not what ends as JSON, which tells its version itself. Two live records of
-- one owner are noted as a contest, which is settled when the whole log is known. The changes are as in commit.lua, each with its version. What
-- is no record is replaced: the log knows better.
for i, change in ipairs(cjson.decode(changes)) do
  local record, id, owner = records[i], change.id, change.owner
  local live, seated = change.live, change.seated
  local stored = redis.pcall('HMGET', record, 'version', 'full_at', 'V', 'F')
  if stored.err then stored = {} end
  local known, full_at = tonumber(stored[1] or stored[3] or 0), stored[2] or stored[4]
  local holder = redis.call('HGET', holders, owner)
  local lingers = known > 0 and redis.call('PTTL', record) >= 0
  local over = live and redis.call('ZSCORE', deadlines, id) or lingers and not change.lingers
  local ends = not live and redis.call('ZSCORE', expiries, id)
  local stands = change.stands and redis.call('ZSCORE', deadlines, id)
  local outdoes = change.version <= known and (stands or ends and change.fields[1] == 'V')
  if (change.version > known or ends or stands) and not over then
    redis.call('DEL', record)
    redis.call('HSET', record, unpack(change.fields))
    if outdoes then redis.call('HSET', record, change.fields[1], known + 1) end
    if full_at then redis.call('HSET', record, change.fields[1] == 'V' and 'F' or 'full_at', full_at) end
    redis.call('ZREM', live and deadlines or expiries, id)
    if change.lingers then
      redis.call('PEXPIREAT', record, change.deadline_at_ms)
      redis.call('ZREM', deadlines, id)
    else
      redis.call('ZADD', live and expiries or deadlines, change.deadline_at_ms, id)
    end
    if not seated and holder == id then redis.call('HDEL', holders, owner) end
  end
  if seated and change.version >= known and not over then
    if not holder then redis.call('HSET', holders, owner, id) end
    if live and holder and holder ~= id then redis.call('SADD', contests, id, holder) end
  end
end
return 'merged'
