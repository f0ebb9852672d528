insert into closing_differences (day, game_session_id, cause, band, cafe_id, game_id, our_sec, their_sec)
select $1::date, game_session_id, cause, band, cafe_id, game_id, our_sec, their_sec
from jsonb_to_recordset($2::jsonb) as given (
  game_session_id text, cause text, band text, cafe_id text, game_id text, our_sec integer, their_sec integer
)
