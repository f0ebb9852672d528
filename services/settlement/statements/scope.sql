select
  extract(epoch from begins_at)::float8 * 1000 as begins_at_ms, extract(epoch from ends_at)::float8 * 1000 as ends_at_ms,
  upto_entry_no::float8 as upto_entry_no, upto_confirmation_no::float8 as upto_confirmation_no
from closings
where day = $1::date
