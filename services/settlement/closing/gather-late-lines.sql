-- What came since the closing before this one, for a day that was closed by then (D-30).
insert into closing_lines
select
  e.game_session_id, e.cafe_id, e.game_id, past.day, e.started_at,
  e.play_duration_sec, e.client_play_duration_sec, c.partner_play_duration_sec
from closings k
join entries e on e.entry_no > k.after_entry_no and e.entry_no <= k.upto_entry_no
join closings past
  on past.closing_no < k.closing_no and e.ended_at >= past.begins_at and e.ended_at < past.ends_at
left join confirmations c
  on c.game_session_id = e.game_session_id and c.confirmation_no <= k.upto_confirmation_no
where k.day = $1 and e.ended_at < (select max(ends_at) from closings where closing_no < k.closing_no)
