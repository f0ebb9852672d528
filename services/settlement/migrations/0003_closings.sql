-- Up Migration
create table closings (
  day date primary key,
  closing_no integer not null unique,
  time_zone text not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  after_entry_no bigint not null,
  upto_entry_no bigint not null,
  upto_confirmation_no bigint not null,
  partner_statement text not null check (partner_statement in ('compared', 'left_out')),
  closed_at timestamptz not null default now(),
  check (ends_at > begins_at),
  check (upto_entry_no >= after_entry_no)
);

create table closing_totals (
  day date not null references closings,
  cafe_id text not null,
  game_id text not null,
  sessions integer not null,
  play_duration_sec bigint not null,
  client_sessions integer not null,
  client_play_duration_sec bigint not null,
  partner_sessions integer not null,
  partner_play_duration_sec bigint not null,
  primary key (day, cafe_id, game_id)
);

create table closing_adjustments (
  game_session_id text primary key references entries,
  day date not null references closings,
  of_day date not null references closings
);
create index closing_adjustments_by_day on closing_adjustments (day);

create table closing_differences (
  day date not null references closings,
  game_session_id text not null,
  cause text not null,
  band text not null,
  cafe_id text not null,
  game_id text not null,
  our_sec integer,
  their_sec integer,
  primary key (day, game_session_id, cause)
);

create table closing_difference_sums (
  day date not null references closings,
  cafe_id text not null,
  game_id text not null,
  cause text not null,
  band text not null,
  sessions integer not null,
  our_sec bigint not null,
  their_sec bigint not null,
  primary key (day, cafe_id, game_id, cause, band)
);

create table closing_results (
  day date primary key references closings,
  differing_sessions integer not null
);

create trigger closings_are_immutable before update or delete on closings
  for each row execute function refuse_change();
create trigger closing_totals_are_immutable before update or delete on closing_totals
  for each row execute function refuse_change();
create trigger closing_adjustments_are_immutable before update or delete on closing_adjustments
  for each row execute function refuse_change();
create trigger closing_differences_are_immutable before update or delete on closing_differences
  for each row execute function refuse_change();
create trigger closing_difference_sums_are_immutable before update or delete on closing_difference_sums
  for each row execute function refuse_change();
create trigger closing_results_are_immutable before update or delete on closing_results
  for each row execute function refuse_change();
