-- keys: marks marked watch
-- args: owner mark at_ms keep_ms server
-- Marks an owner with a text and its instant, unless its mark is newer. Marks are forgotten after a while, ten at each call.
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local forgotten = time[1] * 1000 + math.floor(time[2] / 1000) - keep_ms
for _, old in ipairs(redis.call('ZRANGEBYSCORE', marked, '-inf', forgotten, 'LIMIT', 0, 10)) do
  redis.call('HDEL', marks, old)
  redis.call('ZREM', marked, old)
end
local known = redis.call('HGET', marks, owner)
if known and tonumber(string.match(known, '^%d+')) > tonumber(at_ms) then return 'marked' end
redis.call('HSET', marks, owner, at_ms .. ' ' .. mark)
redis.call('ZADD', marked, at_ms, owner)
return 'marked'
