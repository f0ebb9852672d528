-- keys: watch
-- args: pause_ms
-- Whether one expiry that was held back may happen now: one in each pause, whichever replica asks (D-25).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now - tonumber(redis.call('HGET', watch, 'released') or 0) < tonumber(pause_ms) then return 'wait' end
redis.call('HSET', watch, 'released', now)
return 'go'
