-- Whether this server has the closing at all, as in lines-page.sql.
select here.has_closing, page.*
from (select exists (select from closings where day = $1::date) as has_closing) here
left join (
  select
    e.game_session_id, e.cafe_id, e.pc_id, e.game_id, e.user_hash,
    to_char(e.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as started_at,
    to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at,
    e.end_reason, e.play_duration_sec, e.client_play_duration_sec,
    c.partner_play_duration_sec, e.compensation_sec,
    to_char(a.of_day, 'YYYY-MM-DD') as adjustment_of,
    to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
  from closing_adjustments a
  join entries e using (game_session_id)
  left join confirmations c on c.game_session_id = e.game_session_id and c.confirmation_no <= $2
  where a.day = $1::date
    and ($3::text is null or e.cafe_id = $3)
    and ($4::text is null or e.game_id = $4)
    and (e.ended_at, e.game_session_id) > ($5::timestamptz, $6::text)
  order by e.ended_at, e.game_session_id
  limit $7
) page on true
order by page.place, page.game_session_id
