insert into partner_billings
select billing_id, cafe_id, game_id, status, started_at, stopped_at, play_duration_sec
from jsonb_to_recordset($1::jsonb) as given (
  billing_id text, cafe_id text, game_id text, status text,
  started_at timestamptz, stopped_at timestamptz, play_duration_sec integer
)
