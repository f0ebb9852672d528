-- keys: watch
-- args: for_ms field
-- Until `for_ms` from now: nothing expires (field `amnesty`), or a mass expiry is agreed to (field `agreed`) (D-25). The first of the
-- suspensions in a row notes since when expiries are held back.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = tonumber(redis.call('HGET', watch, field) or 0)
redis.call('HSET', watch, field, math.max(known, now + for_ms))
if field == 'amnesty' then redis.call('HSETNX', watch, 'held', now) end
return 'set'
