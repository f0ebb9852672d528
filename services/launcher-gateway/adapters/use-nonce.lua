-- keys: nonces_since nonce other_name
-- args: server used_before created_sec kept_ms
-- Uses up a nonce. Nonces that an earlier server had may be lost on this one: since when it is this one is noted by the first who sees it,
-- and what was signed before that may have been used (D-44). Where nothing is noted and this process has used none before, there was none.
-- A replica that packs, or does not, notes it under another name (D-57).
local time = redis.call('TIME')
local known = redis.call('HMGET', nonces_since, 'server', 'since_sec')
local since = tonumber(known[2] or 0)
if known[1] ~= server then
  since = (known[1] or used_before == '1') and tonumber(time[1]) or 0
  redis.call('HSET', nonces_since, 'server', server, 'since_sec', since)
end
if tonumber(created_sec) <= since then return 'perhaps_replayed' end
if redis.call('EXISTS', other_name) == 1 then return 'replayed' end
return redis.call('SET', nonce, '1', 'PX', kept_ms, 'NX') and 'fresh' or 'replayed'
