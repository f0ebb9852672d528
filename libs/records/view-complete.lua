-- keys: watch
-- args: server window_ms era
-- The shard's view is complete, and trusted on this server only, in this era of it (D-24). With a window, nothing expires until it has passed (D-11).
redis.call('HSET', watch, 'view', server, 'era', era)
if tonumber(window_ms) > 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('HSET', watch, 'amnesty', now + window_ms, 'swept', now)
end
return 'complete'
