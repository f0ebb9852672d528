insert into entries (
  game_session_id, cafe_id, pc_id, game_id, user_hash,
  started_at, ended_at, end_reason, play_duration_sec, client_play_duration_sec
) values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000), $8, $9, $10)
on conflict (game_session_id) do nothing
returning game_session_id
