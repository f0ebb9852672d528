select game_session_id, cafe_id, game_id, cause, band, our_sec, their_sec
from closing_differences
where day = $1
order by game_session_id collate "C", cause collate "C"
