-- keys: marks marked holders watch
-- args: owner mark at_ms keep_ms of_holder server
-- Marks an owner with a text and its instant, unless its mark is newer. What is `of_holder` (1 or 0) concerns the record alone that holds
-- the owner's seat: where nobody does, the owner has no mark. Of all marks some are looked at in each call, whichever they are, and
-- forgotten when they are old; versions before noted their order in `marked`, of which nothing is left in the end.
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local forgotten = time[1] * 1000 + math.floor(time[2] / 1000) - keep_ms
local some = redis.call('HRANDFIELD', marks, 4, 'WITHVALUES')
for i = 1, #some, 2 do
  if tonumber(string.match(some[i + 1], '^%d+')) < forgotten then redis.call('HDEL', marks, some[i]) end
end
redis.call('ZREMRANGEBYRANK', marked, 0, 9)
local known = redis.call('HGET', marks, owner)
if known and tonumber(string.match(known, '^%d+')) > tonumber(at_ms) then return 'marked' end
if of_holder == '1' and not redis.call('HGET', holders, owner) then
  redis.call('HDEL', marks, owner)
else
  redis.call('HSET', marks, owner, at_ms .. ' ' .. mark)
end
return 'marked'
