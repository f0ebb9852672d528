-- What a script begins with whose session counts no longer until now; `started_at_ms` is false where it did not.
local started_at_ms = redis.call('HGET', play, game_session_id)
if started_at_ms then
  redis.call('HDEL', play, game_session_id)
  redis.call('HINCRBY', play, '#', -1)
  redis.call('HINCRBY', play, 'sum', -started_at_ms)
end
