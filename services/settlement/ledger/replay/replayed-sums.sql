select count(*)::float8 as sessions, coalesce(sum(play_duration_sec), 0)::float8 as play_sec
from gsb_replay.entries
where ended_at >= to_timestamp($1::float8 / 1000) and ended_at < to_timestamp($2::float8 / 1000)
