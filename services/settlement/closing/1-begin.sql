-- A closing is one transaction: the files 1 to 6 run in this order, each of them from top to bottom.
-- It counts the entries and confirmations up to the watermark, so that later ones are told apart (D-30).

-- name: raiseWorkMemory
-- The two joins over a day's lines then stay in memory; the setting ends with the transaction.
set local work_mem = '64MB';

-- name: insertClosing
-- A day begins where the closed day before it ends, and ends where the closed day after it begins: those may have been closed in another time zone (D-31).
insert into closings (
  day, closing_no, time_zone, begins_at, ends_at,
  after_entry_no, upto_entry_no, upto_confirmation_no, partner_statement
)
select
  $1::date, coalesce(max(closing_no), 0) + 1, $2,
  coalesce(max(ends_at) filter (where day = $1::date - 1), to_timestamp($3::float8 / 1000)),
  coalesce(min(begins_at) filter (where day = $1::date + 1), to_timestamp($4::float8 / 1000)),
  least(coalesce(max(upto_entry_no), 0), $5::bigint), $5::bigint, $6, $7
from closings;

-- name: createClosingLines
create temp table closing_lines (
  game_session_id text not null,
  cafe_id text not null,
  game_id text not null,
  of_day date,
  started_at timestamptz not null,
  play_sec integer not null,
  client_sec integer,
  confirmed_sec integer
) on commit drop;

-- name: createPartnerBillings
create temp table partner_billings (
  billing_id text primary key,
  cafe_id text not null,
  game_id text not null,
  status text not null,
  started_at timestamptz not null,
  stopped_at timestamptz,
  play_duration_sec integer not null
) on commit drop;
