create temp table partner_billings (
  billing_id text not null,
  cafe_id text not null,
  game_id text not null,
  status text not null,
  started_at timestamptz not null,
  stopped_at timestamptz,
  play_duration_sec integer not null
) on commit drop
