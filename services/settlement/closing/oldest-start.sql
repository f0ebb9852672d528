select count(*)::float8 as sessions, (extract(epoch from min(started_at)) * 1000)::float8 as oldest_start_at_ms
from closing_lines
