-- keys: holders marks
-- args: changes
-- Marks owners as the log knows them, where somebody holds the owner's seat; an empty mark removes it (D-24).
for _, change in ipairs(cjson.decode(changes)) do
  local marked = change.mark ~= '' and redis.call('HEXISTS', holders, change.owner) == 1
  if marked then redis.call('HSET', marks, change.owner, change.mark) else redis.call('HDEL', marks, change.owner) end
end
return 'merged'
