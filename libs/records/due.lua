-- keys: deadlines expiries watch
-- args: batch_size agreed_batch_size outage_after_ms window_ms late_ms server
-- The ids whose deadline has passed, at most a batch of each kind: other deadlines, and expiries, of these a larger one while an operator
-- agrees, for then the guard does not have to see what is due before more of it expires. Where more are due than a batch it is one from
-- anywhere among them, so that replicas that sweep at once seldom have the same records in hand. Before them: how many expiries
-- are due, how many are within `late_ms` of it or due, how many records can expire, 1 while an operator agrees to a mass expiry, for how long
-- one has been held back, in ms, or -1, and for how long it still is at least (D-25). Each run notes the time of the sweep; when the one before
-- was too long ago, that was an outage of ours: an amnesty of one window begins (D-11), and what is held back is held from then on.
local watched = redis.call('HMGET', watch, 'swept', 'agreed', 'view', 'held', 'suspended')
if server ~= '' and watched[3] ~= server then return redis.error_reply('UNTRUSTED') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local swept = watched[1]
local agreed = tonumber(watched[2] or 0) > now
local most_expiries = agreed and agreed_batch_size or batch_size
local held = watched[4] and tonumber(watched[4]) or nil
if swept and now - swept > tonumber(outage_after_ms) then
  redis.call('HSET', watch, 'amnesty', now + window_ms)
  redis.call('HDEL', watch, 'held')
  held = nil
end
redis.call('HSET', watch, 'swept', now)
local function due_by(set, at_ms) return redis.call('ZCOUNT', set, '-inf', at_ms) end
local function passed(set, count, most)
  -- math.random draws the same numbers in each run of a script.
  local from = count > tonumber(most) and time[2] % (count - most + 1) or 0
  return count > 0 and redis.call('ZRANGE', set, from, math.min(from + most, count) - 1) or {}
end
local expiring = due_by(expiries, now)
return {
  expiring, due_by(expiries, now + late_ms), redis.call('ZCARD', expiries), agreed and 1 or 0, held and now - held or -1,
  math.max(0, tonumber(watched[5] or 0) - now),
  passed(deadlines, due_by(deadlines, now), batch_size), passed(expiries, expiring, most_expiries),
}
