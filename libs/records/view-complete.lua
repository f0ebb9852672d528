-- keys: watch
-- args: rebuild server window_ms era
-- The shard's view is complete, and trusted on this server only, in this era of it (D-24). With a window, nothing expires until it has passed
-- (D-11). Not where the mark of the rebuild is missing: the shard was emptied since that began, or is complete by another replica's word. With
-- its completion no mark of any rebuild is left.
if redis.call('HEXISTS', watch, 'building:' .. rebuild) == 0 then
  local known = redis.call('HMGET', watch, 'view', 'era')
  return known[1] == server and known[2] == era and 'complete' or 'emptied'
end
for _, field in ipairs(redis.call('HKEYS', watch)) do
  if field:sub(1, 9) == 'building:' then redis.call('HDEL', watch, field) end
end
redis.call('HSET', watch, 'view', server, 'era', era)
if tonumber(window_ms) > 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('HSET', watch, 'amnesty', now + window_ms, 'swept', now)
end
return 'complete'
