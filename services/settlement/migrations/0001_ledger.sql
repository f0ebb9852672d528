-- Up Migration
create table entries (
  game_session_id text primary key,
  cafe_id text not null,
  pc_id text not null,
  game_id text not null,
  user_hash text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  end_reason text not null,
  play_duration_sec integer not null check (play_duration_sec >= 0),
  client_play_duration_sec integer check (client_play_duration_sec >= 0),
  compensation_sec integer not null default 0 check (compensation_sec >= 0),
  recorded_at timestamptz not null default now(),
  check (ended_at >= started_at)
);

create table confirmations (
  game_session_id text primary key,
  partner_play_duration_sec integer not null check (partner_play_duration_sec >= 0),
  recorded_at timestamptz not null default now()
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'what is in the ledger is never changed';
end $$;

create trigger entries_are_immutable before update or delete on entries
  for each row execute function refuse_change();
create trigger confirmations_are_immutable before update or delete on confirmations
  for each row execute function refuse_change();
