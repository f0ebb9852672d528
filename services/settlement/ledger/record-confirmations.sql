insert into confirmations (game_session_id, partner_play_duration_sec)
select game_session_id, partner_play_duration_sec
from jsonb_to_recordset($1::jsonb) as given (game_session_id text, partner_play_duration_sec integer)
on conflict (game_session_id) do nothing
returning game_session_id
