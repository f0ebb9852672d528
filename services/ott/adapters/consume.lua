-- keys: deadlines holders watch records...
-- args: server memory_ms usual_memory_ms asked...
-- Tokens whose billing has started, in one round trip: what `consume` of core/ott.ts makes of a token that its first presentation holds. `asked`
-- are two of each: the token's hash, and the presentation as the record has it. Nothing happens to the token any more: it leaves its seat and
-- the deadlines, and Redis forgets it, so long after it was issued. Answers of each the record's names and values in turn, a line each; empty
-- where there is more to say: the core decides. The names are those of ott-form.ts and commit.lua (D-57).
if server ~= '' and redis.call('HGET', watch, 'view') ~= server then return redis.error_reply('UNTRUSTED') end
local function consume(record, token_hash, presentation)
  -- The state, the claim's presentation, its session where that does not tell it, and when it was issued; and those of commit.lua.
  -- Where JSON stands beside them, a version that knows no others wrote it later (D-57).
  local known = redis.pcall('HMGET', record, 'json', 's', 'p', 'j', 'b', 'V', 'O')
  if known.err then return '' end
  local json, state, held_by, session, issued_at, version, owner = unpack(known, 1, 7)
  if json or state ~= 'claimed' or held_by ~= presentation or session then return '' end
  if not tonumber(issued_at) or not tonumber(version) or not owner then return '' end
  redis.call('HSET', record, 'V', version + 1)
  -- As usual it is consumed, and without what only a claim that is given back needs.
  redis.call('HDEL', record, 's', 'y', 'w', 'd')
  if memory_ms ~= usual_memory_ms then redis.call('HSET', record, 'd', memory_ms) end
  redis.call('ZREM', deadlines, token_hash)
  if redis.call('HGET', holders, owner) == token_hash then redis.call('HDEL', holders, owner) end
  local consumed = table.concat(redis.call('HGETALL', record), '\n')
  redis.call('PEXPIREAT', record, issued_at + memory_ms)
  return consumed
end
local answers = {}
for index, record in ipairs(records) do answers[index] = consume(record, asked[2 * index - 1], asked[2 * index]) end
return answers
