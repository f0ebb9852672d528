select a.game_session_id, to_char(a.of_day, 'YYYY-MM-DD') as of_day, e.cafe_id, e.game_id, e.play_duration_sec
from closing_adjustments a
join entries e using (game_session_id)
where a.day = $1
order by a.of_day, a.game_session_id collate "C"
