-- The first two statements only narrow down; differences.ts decides whether and why two records differ. The others store what it decided.

-- name: listDifferingLines
-- $1 and $2: the tolerance of the game's seconds, absolute and as a share; $3: whether the partner's statement is compared.
select
  l.game_session_id, l.cafe_id, l.game_id, l.play_sec, l.client_sec, l.confirmed_sec,
  p.status as partner_status, p.play_duration_sec as partner_sec
from closing_lines l
left join partner_billings p on p.billing_id = l.game_session_id
where l.confirmed_sec is distinct from l.play_sec
  or abs(l.client_sec - l.play_sec) > greatest($1::float8, l.play_sec * $2::float8)
  or ($3::boolean and (p.status is distinct from 'stopped' or p.play_duration_sec <> l.play_sec))
order by l.game_session_id collate "C";

-- name: listUnmatchedBillings
-- Billings without an entry that the partner stopped on the day, or that still run there since before the day.
select p.billing_id as game_session_id, p.cafe_id, p.game_id, p.status, p.play_duration_sec as partner_sec
from partner_billings p
join closings k on k.day = $1::date
where (
    (p.status = 'stopped' and p.play_duration_sec > 0 and p.stopped_at >= k.begins_at and p.stopped_at < k.ends_at)
    or (p.status <> 'stopped' and p.started_at < k.begins_at)
  )
  and not exists (select from closing_lines l where l.game_session_id = p.billing_id)
  and not exists (select from entries e where e.game_session_id = p.billing_id)
order by p.billing_id collate "C";

-- name: recordDifferences
insert into closing_differences
select * from jsonb_populate_recordset(null::closing_differences, $1::jsonb);

-- name: recordDifferenceSums
insert into closing_difference_sums
select * from jsonb_populate_recordset(null::closing_difference_sums, $1::jsonb);

-- name: recordResult
-- The last row of a closing: nothing can be added to it after this (0008_closings_are_sealed.sql).
insert into closing_results (day, differing_sessions) values ($1::date, $2);
