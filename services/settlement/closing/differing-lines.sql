select
  l.game_session_id, l.cafe_id, l.game_id, l.play_sec, l.client_sec, l.confirmed_sec,
  p.status as partner_status, p.play_duration_sec as partner_sec
from closing_lines l
left join partner_billings p on p.billing_id = l.game_session_id
where l.confirmed_sec is distinct from l.play_sec
  or abs(l.client_sec - l.play_sec) > greatest($1::float8, l.play_sec * $2::float8)
  or ($3::boolean and (p.status is distinct from 'stopped' or p.play_duration_sec <> l.play_sec))
order by l.game_session_id collate "C"
