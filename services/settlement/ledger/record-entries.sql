insert into entries (
  game_session_id, cafe_id, pc_id, game_id, user_hash,
  started_at, ended_at, end_reason, play_duration_sec, client_play_duration_sec
)
select
  game_session_id, cafe_id, pc_id, game_id, user_hash,
  to_timestamp(started_at_ms / 1000), to_timestamp(ended_at_ms / 1000),
  end_reason, play_duration_sec, client_play_duration_sec
from jsonb_to_recordset($1::jsonb) as given (
  game_session_id text, cafe_id text, pc_id text, game_id text, user_hash text,
  started_at_ms double precision, ended_at_ms double precision,
  end_reason text, play_duration_sec integer, client_play_duration_sec integer
)
on conflict (game_session_id) do nothing
returning game_session_id
