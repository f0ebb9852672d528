-- Every session that the closing counts becomes a line of closing_lines.

-- name: gatherLinesOfTheDay
insert into closing_lines
select
  e.game_session_id, e.cafe_id, e.game_id, null, e.started_at,
  e.play_duration_sec, e.client_play_duration_sec, c.partner_play_duration_sec
from closings k
join entries e on e.ended_at >= k.begins_at and e.ended_at < k.ends_at and e.entry_no <= k.upto_entry_no
left join confirmations c
  on c.game_session_id = e.game_session_id and c.confirmation_no <= k.upto_confirmation_no
where k.day = $1;

-- name: gatherLateLines
-- Entries written since the previous closing, of a day that was closed by then: adjustments of that day (D-30).
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
where k.day = $1 and e.ended_at < (select max(ends_at) from closings where closing_no < k.closing_no);

-- name: analyzeLines
analyze closing_lines;

-- name: summarizeLines
-- The oldest start tells which of the partner's statements can name these sessions: it files a billing under the day of its start (D-31).
select count(*)::float8 as sessions, (extract(epoch from min(started_at)) * 1000)::float8 as oldest_start_at_ms
from closing_lines;
