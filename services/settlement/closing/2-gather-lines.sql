-- Every session that the closing counts becomes a line of closing_lines.

-- name: findScope
-- What the closing counts. The two statements below take it as values: a planner that only finds it in a row, when it has planned, reads the ledger
-- from its first day on. `closed_until`: the end of the last day that was closed before. As text nothing is rounded, and in UTC no style of dates
-- can have it read as another instant.
select
  k.closing_no, k.after_entry_no::text, k.upto_entry_no::text, k.upto_confirmation_no::text,
  to_char(k.begins_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as begins_at,
  to_char(k.ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ends_at,
  (
    select to_char(max(ends_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    from closings
    where closing_no < k.closing_no
  ) as closed_until
from closings k
where k.day = $1;

-- name: gatherLinesOfTheDay
-- Each line looks its confirmation up; a join reads the confirmations of all days.
insert into closing_lines
select
  e.game_session_id, e.cafe_id, e.game_id, null, e.started_at,
  e.play_duration_sec, e.client_play_duration_sec, c.partner_play_duration_sec
from entries e
left join lateral (
  select partner_play_duration_sec
  from confirmations
  where game_session_id = e.game_session_id and confirmation_no <= $4
  offset 0
) c on true
where e.ended_at >= $1::timestamptz and e.ended_at < $2::timestamptz and e.entry_no <= $3;

-- name: gatherLateLines
-- Entries written since the previous closing, of a day that was closed by then: adjustments of that day (D-30).
insert into closing_lines
select
  e.game_session_id, e.cafe_id, e.game_id, past.day, e.started_at,
  e.play_duration_sec, e.client_play_duration_sec, c.partner_play_duration_sec
from entries e
join closings past on past.closing_no < $1 and e.ended_at >= past.begins_at and e.ended_at < past.ends_at
left join lateral (
  select partner_play_duration_sec
  from confirmations
  where game_session_id = e.game_session_id and confirmation_no <= $5
  offset 0
) c on true
where e.entry_no > $3 and e.entry_no <= $4 and e.ended_at < $2::timestamptz;

-- name: analyzeLines
analyze closing_lines;

-- name: summarizeLines
-- The oldest start tells which of the partner's statements can name these sessions: it files a billing under the day of its start (D-31).
select count(*)::float8 as sessions, (extract(epoch from min(started_at)) * 1000)::float8 as oldest_start_at_ms
from closing_lines;
