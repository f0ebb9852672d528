-- keys: play
-- args: game_session_id
-- The partner has answered: the session's play no longer counts, whether it is over or not. It begins with no-longer-plays.lua.
local over = 'over:' .. game_session_id
local played_ms = redis.call('HGET', play, over)
if played_ms then
  redis.call('HDEL', play, over)
  redis.call('HINCRBY', play, 'over', -played_ms)
end
return 'ok'
