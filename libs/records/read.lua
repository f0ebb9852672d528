-- keys: record holders marks watch
-- args: owner outage_after_ms window_ms server
-- The time, the record's names and values in turn, the holder of its owner's seat, the owner's mark, and until when nothing expires (D-11).
-- The owner is the record's own; the argument is used where there is no record. A view written on another server is not read (D-24).
local watched = redis.call('HMGET', watch, 'swept', 'amnesty', 'view')
if server ~= '' and watched[3] ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owners = redis.call('HMGET', record, 'owner', 'O')
local seat = owners[1] or owners[2] or owner
local function at(hash) return redis.call('HGET', hash, seat) end
local amnesty = tonumber(watched[2] or 0)
if watched[1] and now - watched[1] > tonumber(outage_after_ms) then amnesty = now + window_ms end
return { now, redis.call('HGETALL', record), at(holders) or '', at(marks) or '', amnesty }
