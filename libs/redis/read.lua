-- keys: record holders marks
-- args: owner
-- One look: the clock, the record, who holds its owner's seat, and the mark on the owner.
-- The owner is taken from the record; the argument serves where there is no record yet.
local time = redis.call('TIME')
local fields = redis.call('HMGET', record, 'json', 'owner')
local seat = fields[2] or owner
local function at(hash) return redis.call('HGET', hash, seat) end
return { time[1] * 1000 + math.floor(time[2] / 1000), fields[1] or '', at(holders) or '', at(marks) or '' }
