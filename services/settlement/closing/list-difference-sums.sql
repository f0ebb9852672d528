select
  cafe_id, game_id, cause, band, sessions, our_sec::float8 as our_sec, their_sec::float8 as their_sec
from closing_difference_sums
where day = $1
order by cafe_id collate "C", game_id collate "C", cause collate "C", band collate "C"
