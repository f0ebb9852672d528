insert into confirmations (game_session_id, partner_play_duration_sec)
values ($1, $2)
on conflict (game_session_id) do nothing
returning game_session_id
