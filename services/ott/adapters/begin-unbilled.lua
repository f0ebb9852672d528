-- keys: play
-- args: game_session_id started_at_ms kept_sec
-- Play whose billing is pending begins. `#` and `sum` are how many sessions play, and the sum of their starts: nobody has to read them all. A start
-- that is delivered again when its play is over begins nothing.
local is_over = redis.call('HEXISTS', play, 'over:' .. game_session_id) == 1
if not is_over and redis.call('HSETNX', play, game_session_id, started_at_ms) == 1 then
  redis.call('HINCRBY', play, '#', 1)
  redis.call('HINCRBY', play, 'sum', started_at_ms)
end
redis.call('EXPIRE', play, kept_sec)
return 'ok'
