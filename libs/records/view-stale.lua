-- keys: watch
-- args: era
-- The shard's view was complete in an earlier era of this server, and is trusted no more (D-24); nothing where it has been rebuilt since.
local marked = redis.call('HGET', watch, 'era')
if marked and marked ~= era then redis.call('HDEL', watch, 'view', 'era') end
return 'stale'
