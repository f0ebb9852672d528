insert into closing_difference_sums (day, cafe_id, game_id, cause, band, sessions, our_sec, their_sec)
select $1::date, cafe_id, game_id, cause, band, sessions, our_sec, their_sec
from jsonb_to_recordset($2::jsonb) as given (
  cafe_id text, game_id text, cause text, band text, sessions integer, our_sec bigint, their_sec bigint
)
