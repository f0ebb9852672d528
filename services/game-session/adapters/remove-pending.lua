-- keys: pending taken
-- args: game_session_id noted_at_ms
-- Removes a session whose state has been published, unless it was added again in the meantime; either way nobody holds it any more.
if redis.call('ZSCORE', pending, game_session_id) == noted_at_ms then redis.call('ZREM', pending, game_session_id) end
redis.call('HDEL', taken, game_session_id)
return 'ok'
