-- keys: play
-- args: game_session_id played_ms
-- Play whose billing is pending is over: it counts with its own length, in `over` for all sessions together, until the partner has answered.
local started_at_ms = redis.call('HGET', play, game_session_id)
if started_at_ms then
  redis.call('HDEL', play, game_session_id)
  redis.call('HINCRBY', play, '#', -1)
  redis.call('HINCRBY', play, 'sum', -started_at_ms)
  redis.call('HSET', play, 'over:' .. game_session_id, played_ms)
  redis.call('HINCRBY', play, 'over', played_ms)
end
return 'ok'
