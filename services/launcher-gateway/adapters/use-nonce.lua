-- keys: nonces_since name even odd
-- args: server used_before created_sec kept_ms member packs
-- Uses up a nonce. Nonces that an earlier server had may be lost on this one: since when it is this one is noted by the first who sees it,
-- and what was signed before that may have been used (D-44). Where nothing is noted and this process has used none before, there was none.
-- A replica that packs (1, else 0) notes it as a member of one of two hashes, which take turns by the clock, of `kept_ms` each: a hash is
-- forgotten when its next turn begins, so that a member is kept for one turn at least, and two at most. One that does not pack notes it under
-- its name. Each looks in all places (D-57).
local time = redis.call('TIME')
local known = redis.call('HMGET', nonces_since, 'server', 'since_sec')
local since = tonumber(known[2] or 0)
if known[1] ~= server then
  since = (known[1] or used_before == '1') and tonumber(time[1]) or 0
  redis.call('HSET', nonces_since, 'server', server, 'since_sec', since)
end
if tonumber(created_sec) <= since then return 'perhaps_replayed' end
local turn = math.floor(time[1] * 1000 / kept_ms)
local current, other = even, odd
if turn % 2 == 1 then current, other = odd, even end
if redis.call('EXISTS', name) == 1 or redis.call('HEXISTS', other, member) == 1 then return 'replayed' end
if packs == '0' then
  local is_new = redis.call('HEXISTS', current, member) == 0 and redis.call('SET', name, '', 'PX', kept_ms, 'NX')
  return is_new and 'fresh' or 'replayed'
end
if redis.call('HSETNX', current, member, '') == 0 then return 'replayed' end
-- Each time: what is left of the turn before last in its last moment may not take new members with it.
redis.call('PEXPIREAT', current, (turn + 2) * kept_ms)
return 'fresh'
