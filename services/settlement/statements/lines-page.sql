-- With a closing's day, whether this server has that closing: a standby that lags has no end of the day yet. An empty page says so in a row of its own.
select here.has_closing, page.*
from (select $10::date is null or exists (select from closings where day = $10::date) as has_closing) here
left join (
  select
    e.game_session_id, e.cafe_id, e.pc_id, e.game_id, e.user_hash,
    to_char(e.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as started_at,
    to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at,
    e.end_reason, e.play_duration_sec, e.client_play_duration_sec,
    c.partner_play_duration_sec, e.compensation_sec,
    null as adjustment_of,
    to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
  from (
    -- The page is picked first and joined then: a planner without statistics would join whole tables for every page.
    select *
    from entries e
    where e.ended_at >= to_timestamp($1::float8 / 1000) and e.ended_at < to_timestamp($2::float8 / 1000)
      and e.entry_no <= $3
      and ($5::text is null or e.cafe_id = $5)
      and ($6::text is null or e.game_id = $6)
      and (e.ended_at, e.game_session_id) > ($7::timestamptz, $8::text)
    order by e.ended_at, e.game_session_id
    limit $9
  ) e
  left join lateral (
    select partner_play_duration_sec
    from confirmations
    where game_session_id = e.game_session_id and confirmation_no <= $4
    offset 0
  ) c on true
) page on true
order by page.place, page.game_session_id
