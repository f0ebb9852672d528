-- keys: deadlines
-- args: bite
-- The ids whose deadline has passed, the oldest first, at most a bite of them.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZRANGEBYSCORE', deadlines, '-inf', now, 'LIMIT', 0, bite)
