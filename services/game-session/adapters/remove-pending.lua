-- keys: unsaid
-- args: game_session_id noted_at_ms
-- A session's state has been said; one that was noted again meanwhile stays.
if redis.call('ZSCORE', unsaid, game_session_id) == noted_at_ms then redis.call('ZREM', unsaid, game_session_id) end
return 'ok'
