-- A closing as it stands: its sums, and its lists in the order of the CSV.

-- name: findClosing
with totals as (
  select coalesce(sum(sessions), 0)::float8 as sessions, coalesce(sum(play_duration_sec), 0)::float8 as sec
  from closing_totals where day = $1
), adjusted as (
  select count(*)::float8 as sessions, coalesce(sum(e.play_duration_sec), 0)::float8 as sec
  from closing_adjustments a join entries e using (game_session_id) where a.day = $1
), differing as (
  select coalesce(sum(sessions), 0)::float8 as differences from closing_difference_sums where day = $1
)
select
  to_char(k.day, 'YYYY-MM-DD') as day, k.time_zone, k.partner_statement,
  totals.sessions + adjusted.sessions as sessions, totals.sec + adjusted.sec as play_duration_sec,
  adjusted.sessions as adjustment_count, differing.differences as difference_count,
  totals.sessions + adjusted.sessions - r.differing_sessions as agreeing_sessions
from closings k join closing_results r using (day), totals, adjusted, differing
where k.day = $1;

-- name: listTotals
select
  cafe_id, game_id, sessions, play_duration_sec::float8 as play_duration_sec,
  client_sessions, client_play_duration_sec::float8 as client_play_duration_sec,
  partner_sessions, partner_play_duration_sec::float8 as partner_play_duration_sec
from closing_totals
where day = $1
order by cafe_id collate "C", game_id collate "C";

-- name: listAdjustments
select a.game_session_id, to_char(a.of_day, 'YYYY-MM-DD') as of_day, e.cafe_id, e.game_id, e.play_duration_sec
from closing_adjustments a
join entries e using (game_session_id)
where a.day = $1
order by a.of_day, a.game_session_id collate "C";

-- name: listDifferenceSums
select
  cafe_id, game_id, cause, band, sessions, our_sec::float8 as our_sec, their_sec::float8 as their_sec
from closing_difference_sums
where day = $1
order by cafe_id collate "C", game_id collate "C", cause collate "C", band collate "C";

-- name: listDifferences
select game_session_id, cafe_id, game_id, cause, band, our_sec, their_sec
from closing_differences
where day = $1
order by game_session_id collate "C", cause collate "C";
