create temp table closing_lines (
  game_session_id text not null,
  cafe_id text not null,
  game_id text not null,
  of_day date,
  started_at timestamptz not null,
  play_sec integer not null,
  client_sec integer,
  confirmed_sec integer
) on commit drop
