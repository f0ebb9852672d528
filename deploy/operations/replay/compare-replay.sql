-- The replayed day (the temporary tables) against the ledger (the views of scratch.sql). $1 and $2: the day's bounds in ms since the epoch.

-- name: analyzeReplayed
analyze pg_temp.entries, pg_temp.confirmations;

-- name: sumReplayed
select count(*)::float8 as sessions, coalesce(sum(play_duration_sec), 0)::float8 as play_sec
from pg_temp.entries
where ended_at >= to_timestamp($1::float8 / 1000) and ended_at < to_timestamp($2::float8 / 1000);

-- name: listDifferingEntries
-- Hashes of players are not compared: the secret of their month may be forgotten (D-43). What only the ledger has counts up to entry number $3: a later one may not have been on the log yet when it was read.
with ours as (
  select game_session_id, cafe_id, pc_id, game_id, started_at, ended_at, end_reason,
    play_duration_sec, client_play_duration_sec
  from ledger_entries
  where ended_at >= to_timestamp($1::float8 / 1000) and ended_at < to_timestamp($2::float8 / 1000)
), logged as (
  select game_session_id, cafe_id, pc_id, game_id, started_at, ended_at, end_reason,
    play_duration_sec, client_play_duration_sec
  from pg_temp.entries
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
    select from ledger_entries e
    where e.game_session_id = ours.game_session_id and logged.game_session_id is null and e.entry_no > $3
  )
order by 1
limit $4;

-- name: listDifferingConfirmations
-- What only the ledger has counts up to confirmation number $3.
select
  e.game_session_id,
  case
    when c.game_session_id is null then 'the confirmation is only on the log'
    when r.game_session_id is null then 'the confirmation is only in the ledger'
    else 'the confirmation differs'
  end as what,
  c.partner_play_duration_sec as ledger_sec, r.partner_play_duration_sec as log_sec
from pg_temp.entries e
left join ledger_confirmations c on c.game_session_id = e.game_session_id
left join pg_temp.confirmations r on r.game_session_id = e.game_session_id
where e.ended_at >= to_timestamp($1::float8 / 1000) and e.ended_at < to_timestamp($2::float8 / 1000)
  and c.partner_play_duration_sec is distinct from r.partner_play_duration_sec
  and (r.game_session_id is not null or c.confirmation_no <= $3)
order by 1
limit $4;
