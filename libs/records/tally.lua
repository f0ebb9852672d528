-- keys: records...
-- args: names...
-- How many of the records have each combination of values in these text fields: the values, parted by a space, and the number, in turn.
-- `names` are three of each field: that in a packed record, that in JSON, and the value that a packed record leaves out, or nothing. A field
-- that is null, or missing, is '-'; of a value with a colon only what stands before it counts, so that the keys of the PCs of a cafe are one
-- (D-48). It reads, and changes nothing.
local sums = {}
for _, record in ipairs(records) do
  local known = redis.call('HMGET', record, 'V', 'json')
  if known[1] or known[2] then
    local values = {}
    for i = 1, #names, 3 do
      local value = known[2] and string.match(known[2], '"' .. names[i + 1] .. '":"([^"]*)')
      value = known[2] and value or not known[2] and (redis.call('HGET', record, names[i]) or names[i + 2])
      values[#values + 1] = value and string.match(value, '^[^ :]+') or '-'
    end
    local all = table.concat(values, ' ')
    sums[all] = (sums[all] or 0) + 1
  end
end
local answer = {}
for all, sum in pairs(sums) do
  answer[#answer + 1] = all
  answer[#answer + 1] = sum
end
return answer
