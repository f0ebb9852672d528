-- keys: marks
-- args: changes
-- Marks owners as the log knows them, each with a text and its instant, unless its mark is newer (D-24).
for _, change in ipairs(cjson.decode(changes)) do
  local known = redis.call('HGET', marks, change.owner)
  if not known or tonumber(string.match(known, '^%d+')) <= change.at_ms then
    redis.call('HSET', marks, change.owner, string.format('%.0f', change.at_ms) .. ' ' .. change.mark)
  end
end
return 'merged'
