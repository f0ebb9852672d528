-- What the partner billed on the day, or still bills from before it, and no book of ours has.
select p.billing_id as game_session_id, p.cafe_id, p.game_id, p.status, p.play_duration_sec as partner_sec
from partner_billings p
join closings k on k.day = $1::date
where (
    (p.status = 'stopped' and p.play_duration_sec > 0 and p.stopped_at >= k.begins_at and p.stopped_at < k.ends_at)
    or (p.status <> 'stopped' and p.started_at < k.begins_at)
  )
  and not exists (select from closing_lines l where l.game_session_id = p.billing_id)
  and not exists (select from entries e where e.game_session_id = p.billing_id)
order by p.billing_id collate "C"
