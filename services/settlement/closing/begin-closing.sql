insert into closings (
  day, closing_no, time_zone, begins_at, ends_at,
  after_entry_no, upto_entry_no, upto_confirmation_no, partner_statement
)
select
  $1::date, coalesce(max(closing_no), 0) + 1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000),
  $5, $6, $7, $8
from closings
returning to_char(day, 'YYYY-MM-DD') as day
