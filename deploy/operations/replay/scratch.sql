-- A second ledger in temporary tables, which hide the ledger's from here to the end of the connection; the views go on to mean the ledger.

-- name: readUpto
-- What came later may not have been on the log yet when its end was looked up.
select
  coalesce((select max(entry_no) from entries), 0)::float8 as upto_entry_no,
  coalesce((select max(confirmation_no) from confirmations), 0)::float8 as upto_confirmation_no;

-- name: nameLedgerEntries
create temp view ledger_entries as table entries;

-- name: nameLedgerConfirmations
create temp view ledger_confirmations as table confirmations;

-- name: createEntries
create temp table entries as table entries with no data;

-- name: keyEntries
alter table pg_temp.entries add primary key (game_session_id);

-- name: createConfirmations
create temp table confirmations as table confirmations with no data;

-- name: keyConfirmations
alter table pg_temp.confirmations add primary key (game_session_id);
