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
where k.day = $1
