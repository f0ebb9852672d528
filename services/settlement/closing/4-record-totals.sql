-- The sums of the day by cafe and game, and apart from them the adjustments of days that were closed before.

-- name: recordTotals
insert into closing_totals (
  day, cafe_id, game_id, sessions, play_duration_sec,
  client_sessions, client_play_duration_sec, partner_sessions, partner_play_duration_sec
)
select
  $1::date, l.cafe_id, l.game_id, count(*), sum(l.play_sec),
  count(l.client_sec), coalesce(sum(l.client_sec), 0),
  count(coalesce(p.play_duration_sec, l.confirmed_sec)),
  coalesce(sum(coalesce(p.play_duration_sec, l.confirmed_sec)), 0)
from closing_lines l
left join partner_billings p on p.billing_id = l.game_session_id and p.status = 'stopped'
where l.of_day is null
group by l.cafe_id, l.game_id;

-- name: recordAdjustments
insert into closing_adjustments (game_session_id, day, of_day)
select game_session_id, $1::date, of_day
from closing_lines
where of_day is not null;
