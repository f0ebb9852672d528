-- keys: deadlines expiries watch
-- args: bite away_after_ms window_ms server
-- The ids whose deadline has passed, the oldest first, at most a bite of each kind: other looks, and expiries. It also keeps watch: when
-- nobody has swept for too long, that was our outage, and an amnesty of one window begins (D-11). Beside them: how many expiries are
-- due, of how many, and until when an operator has agreed to many at once (D-25).
local watched = redis.call('HMGET', watch, 'swept', 'agreed', 'view')
if server ~= '' and watched[3] ~= server then return redis.error_reply('NOTWHOLE') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local swept = watched[1]
if swept and now - swept > tonumber(away_after_ms) then redis.call('HSET', watch, 'amnesty', now + window_ms) end
redis.call('HSET', watch, 'swept', now)
local function passed(set) return redis.call('ZRANGEBYSCORE', set, '-inf', now, 'LIMIT', 0, bite) end
return {
  redis.call('ZCOUNT', expiries, '-inf', now), redis.call('ZCARD', expiries),
  tonumber(watched[2] or 0) > now and 1 or 0, passed(deadlines), passed(expiries),
}
