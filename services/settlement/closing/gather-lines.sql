insert into closing_lines
select
  e.game_session_id, e.cafe_id, e.game_id, null, e.started_at,
  e.play_duration_sec, e.client_play_duration_sec, c.partner_play_duration_sec
from closings k
join entries e on e.ended_at >= k.begins_at and e.ended_at < k.ends_at and e.entry_no <= k.upto_entry_no
left join confirmations c
  on c.game_session_id = e.game_session_id and c.confirmation_no <= k.upto_confirmation_no
where k.day = $1
