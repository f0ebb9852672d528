-- keys: records...
-- args: fields...
-- How many of the records have each combination of values in these text fields of their JSON: the values, parted by a space, and the
-- number, in turn. A field that is null, or missing, is '-'; of a value with a colon only what stands before it counts, so that the keys
-- of the PCs of a cafe are one (D-48). It reads, and changes nothing.
local sums = {}
for _, record in ipairs(records) do
  local json = redis.call('HGET', record, 'json')
  if json then
    local values = {}
    for i, field in ipairs(fields) do values[i] = string.match(json, '"' .. field .. '":"([^" :]*)') or '-' end
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
