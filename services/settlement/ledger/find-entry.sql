select
  e.game_session_id, e.cafe_id, e.pc_id, e.game_id, e.user_hash,
  to_char(e.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as started_at,
  to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at,
  e.end_reason, e.play_duration_sec, e.client_play_duration_sec, e.compensation_sec,
  c.partner_play_duration_sec
from entries e
left join confirmations c using (game_session_id)
where e.game_session_id = $1
