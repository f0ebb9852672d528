-- name: findLastClosing
-- The day that was closed last, and what that found; `unclosed_since_ms`: the end of play of the oldest entry that is in no closing. A day that
-- was passed over lies in a gap before a later one, and stays open until it is closed.
with last as (
  select day, partner_statement from closings order by ends_at desc limit 1
), gaps as (
  select coalesce(lag(ends_at) over in_order, '-infinity') as from_at, begins_at as to_at
  from closings window in_order as (order by begins_at)
  union all
  select coalesce(max(ends_at), '-infinity'), 'infinity' from closings
), open as (
  select min(oldest.ended_at) as since
  from gaps, lateral (
    select min(ended_at) as ended_at from entries where ended_at >= gaps.from_at and ended_at < gaps.to_at
  ) as oldest
  where gaps.from_at < gaps.to_at
)
select
  to_char(last.day, 'YYYY-MM-DD') as day, last.partner_statement,
  (extract(epoch from open.since) * 1000)::float8 as unclosed_since_ms
from open left join last on true;

-- name: listLastCauses
select cause, sum(sessions)::float8 as sessions from closing_difference_sums where day = $1::date group by cause;
