-- keys: pending taken
-- args: batch_size taker hold_ms
-- The oldest sessions and when each was added, without those that another replica has taken and not given up: that one publishes them.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local oldest = redis.call('ZRANGE', pending, 0, batch_size - 1, 'WITHSCORES')
local mine = {}
for at = 1, #oldest, 2 do
  local free_at, holder = string.match(redis.call('HGET', taken, oldest[at]) or '0 ', '^(%d+) (.*)$')
  if holder == taker or tonumber(free_at) <= now then
    redis.call('HSET', taken, oldest[at], string.format('%.0f', now + hold_ms) .. ' ' .. taker)
    table.insert(mine, oldest[at])
    table.insert(mine, oldest[at + 1])
  end
end
return mine
