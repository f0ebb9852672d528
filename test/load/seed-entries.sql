-- Sessions that ended on one day: $1 is its first instant, $2 how many.
insert into entries (
  game_session_id, cafe_id, pc_id, game_id, user_hash,
  started_at, ended_at, end_reason, play_duration_sec, client_play_duration_sec
)
select
  'gs_' || lpad(to_hex(n), 8, '0') || '-0000-4000-8000-000000000000',
  'cafe-' || n % 500, 'pc_' || md5((n % 50000)::text), 'game-' || n % 3, repeat(md5(n::text), 2),
  $1::timestamptz + (n % 80000) * interval '1 second',
  $1::timestamptz + (n % 80000 + 60 + n % 6000) * interval '1 second',
  'game_ended', 60 + n % 6000, case when n % 10 = 0 then null else 60 + n % 6000 - n % 3 end
from generate_series(1, $2::integer) as n
