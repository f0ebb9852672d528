-- keys: play
-- args: game_session_id
-- The partner has answered: the session's play no longer counts.
local started_at_ms = redis.call('HGET', play, game_session_id)
if started_at_ms then
  redis.call('HDEL', play, game_session_id)
  redis.call('HINCRBY', play, '#', -1)
  redis.call('HINCRBY', play, 'sum', -started_at_ms)
end
local over = 'over:' .. game_session_id
local played_ms = redis.call('HGET', play, over)
if played_ms then
  redis.call('HDEL', play, over)
  redis.call('HINCRBY', play, 'over', -played_ms)
end
return 'ok'
