-- What the log says (gsb_replay) beside what stands in the ledger, session by session.
with ours as (
  select game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason,
    play_duration_sec, client_play_duration_sec
  from public.entries
  where ended_at >= to_timestamp($1::float8 / 1000) and ended_at < to_timestamp($2::float8 / 1000)
), logged as (
  select game_session_id, cafe_id, pc_id, game_id, user_hash, started_at, ended_at, end_reason,
    play_duration_sec, client_play_duration_sec
  from gsb_replay.entries
  where ended_at >= to_timestamp($1::float8 / 1000) and ended_at < to_timestamp($2::float8 / 1000)
)
select
  coalesce(ours.game_session_id, logged.game_session_id) as game_session_id,
  case
    when ours.game_session_id is null then 'only on the log'
    when logged.game_session_id is null then 'only in the ledger'
    else 'differs'
  end as what,
  ours.play_duration_sec as ledger_sec,
  logged.play_duration_sec as log_sec
from ours
full join logged using (game_session_id)
where ours is distinct from logged
  and not exists (
    select from public.entries e
    where e.game_session_id = ours.game_session_id and logged.game_session_id is null and e.entry_no > $3
  )
order by 1
limit $4
