-- keys: watch
-- args: for_ms field
-- Until `for_ms` from now: nobody's silence is believed (field `suspended`), or a mass expiry is agreed to (field `agreed`), which takes back
-- what was suspended and what would be: a sweep may have asked before it (D-25). The first of the suspensions in a row notes since when
-- expiries are held back.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local agreed = tonumber(redis.call('HGET', watch, 'agreed') or 0) > now
if field == 'suspended' and agreed then return 'set' end
local known = tonumber(redis.call('HGET', watch, field) or 0)
redis.call('HSET', watch, field, math.max(known, now + for_ms))
if field == 'suspended' then redis.call('HSETNX', watch, 'held', now) end
if field == 'agreed' then redis.call('HDEL', watch, 'suspended') end
return 'set'
