select
  coalesce((select max(entry_no) from entries), 0)::float8 as upto_entry_no,
  coalesce((select max(confirmation_no) from confirmations), 0)::float8 as upto_confirmation_no
