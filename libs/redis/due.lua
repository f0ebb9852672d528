-- keys: deadlines watch
-- args: bite away_after_ms window_ms
-- The ids whose deadline has passed, the oldest first, at most a bite of them. It also keeps watch: when nobody has swept for too long,
-- that was our outage, and an amnesty of one window begins (D-11).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local swept = redis.call('HGET', watch, 'swept')
if swept and now - swept > tonumber(away_after_ms) then redis.call('HSET', watch, 'amnesty', now + window_ms) end
redis.call('HSET', watch, 'swept', now)
return redis.call('ZRANGEBYSCORE', deadlines, '-inf', now, 'LIMIT', 0, bite)
