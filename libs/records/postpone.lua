-- keys: deadlines expiries record
-- args: id pause_ms
-- A record that could not be handled is due again after a pause, so that it does not keep others from their turn; an id without a record
-- is due no more.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local exists = redis.call('EXISTS', record) == 1
local outcome = 'handled'
for _, set in ipairs({ deadlines, expiries }) do
  local due = redis.call('ZSCORE', set, id)
  if due and tonumber(due) <= now then
    if exists then redis.call('ZADD', set, now + pause_ms, id) else redis.call('ZREM', set, id) end
    outcome = exists and 'postponed' or 'removed'
  end
end
return outcome
