-- keys: play
-- args: game_session_id played_ms
-- Play whose billing is pending is over: it counts with its own length, in `over` for all sessions together, until the partner has answered. It
-- begins with no-longer-plays.lua.
if started_at_ms then
  redis.call('HSET', play, 'over:' .. game_session_id, played_ms)
  redis.call('HINCRBY', play, 'over', played_ms)
end
return 'ok'
