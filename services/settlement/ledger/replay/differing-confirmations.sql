select
  e.game_session_id, 'the confirmation differs' as what,
  c.partner_play_duration_sec as ledger_sec, r.partner_play_duration_sec as log_sec
from gsb_replay.entries e
left join public.confirmations c on c.game_session_id = e.game_session_id and c.confirmation_no <= $3
left join gsb_replay.confirmations r on r.game_session_id = e.game_session_id
where e.ended_at >= to_timestamp($1::float8 / 1000) and e.ended_at < to_timestamp($2::float8 / 1000)
  and c.game_session_id is not null
  and c.partner_play_duration_sec is distinct from r.partner_play_duration_sec
order by 1
limit $4
