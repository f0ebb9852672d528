with advanced as (
  insert into log_positions as known (topic, partition, next_offset)
  values ($1, $2, $4)
  on conflict (topic, partition) do update
    set next_offset = greatest(known.next_offset, excluded.next_offset)
    where known.next_offset >= $3 or $5
  returning next_offset
)
select next_offset::float8 as next_offset
from log_positions
where topic = $1 and partition = $2 and not exists (select from advanced)
