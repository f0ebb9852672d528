-- keys: buckets...
-- args: wanted
-- Token buckets (D-42): a key holds the instant at which its bucket is full again, in ms; one that is full has no key. Takes `cost` tokens
-- of each bucket, or none of any; a cost of 0 only looks whether there is one. A bucket is passed over where the key `spared_by` exists.
-- Answers with the place of the bucket that is longest in coming and how long that takes, in ms; with zeros where all are taken.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local list = cjson.decode(wanted)
local full_at = {}
local place, wait = 0, 0
for i, each in ipairs(list) do
  if not (each.spared_by and redis.call('EXISTS', buckets[each.spared_by]) == 1) then
    local full = full_from(redis.call('GET', buckets[i]), now, each.burst * each.interval_ms)
    full_at[i] = full + each.cost * each.interval_ms
    local missing = full + (math.max(each.cost, 1) - each.burst) * each.interval_ms - now
    if missing >= 1 and missing > wait then place, wait = i, math.ceil(missing) end
  end
end
if place > 0 then return { place, wait } end
for i, each in ipairs(list) do
  if full_at[i] and each.cost > 0 then
    redis.call('SET', buckets[i], string.format('%.3f', full_at[i]), 'PX', math.max(1, math.ceil(full_at[i] - now)))
  end
end
return { 0, 0 }
