-- keys: marks watch
-- args: owner mark server
-- Marks an owner, or takes its mark away when the mark is empty.
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('NOTWHOLE') end
if mark == '' then redis.call('HDEL', marks, owner) else redis.call('HSET', marks, owner, mark) end
return 'marked'
