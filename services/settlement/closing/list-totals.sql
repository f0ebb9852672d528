select
  cafe_id, game_id, sessions, play_duration_sec::float8 as play_duration_sec,
  client_sessions, client_play_duration_sec::float8 as client_play_duration_sec,
  partner_sessions, partner_play_duration_sec::float8 as partner_play_duration_sec
from closing_totals
where day = $1
order by cafe_id collate "C", game_id collate "C"
