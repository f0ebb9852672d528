-- Up Migration
-- A closing says up to which number it counted: what came later is told apart from what was there (D-30).
alter table entries add column entry_no bigint generated always as identity;
alter table confirmations add column confirmation_no bigint generated always as identity;
create unique index entries_by_number on entries (entry_no);
create index entries_by_end on entries (ended_at, game_session_id);
