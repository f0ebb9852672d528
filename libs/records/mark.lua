-- keys: marks watch
-- args: owner mark server
-- Marks an owner with a text; an empty one removes its mark.
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
if mark == '' then redis.call('HDEL', marks, owner) else redis.call('HSET', marks, owner, mark) end
return 'marked'
