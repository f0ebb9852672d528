-- name: findLastClosing
-- The day that was closed last, and what that found; `unclosed_since_ms`: the end of play of the oldest entry after it.
with last as (
  select day, ends_at, partner_statement from closings order by ends_at desc limit 1
)
select
  to_char(last.day, 'YYYY-MM-DD') as day, last.partner_statement,
  (
    select (extract(epoch from min(ended_at)) * 1000)::float8
    from entries where ended_at >= coalesce(last.ends_at, '-infinity')
  ) as unclosed_since_ms
from (select) as always left join last on true;

-- name: listLastCauses
select cause, sum(sessions)::float8 as sessions from closing_difference_sums where day = $1::date group by cause;
