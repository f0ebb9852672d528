insert into closing_adjustments (game_session_id, day, of_day)
select game_session_id, $1::date, of_day
from closing_lines
where of_day is not null
