-- Up Migration
-- The watermark as before, but nobody can hold its lock: a transaction of the caller kept it to its end, and the ledger's writer waited as
-- long as that slept. A lock that was taken in a block goes when the block is rolled back; what was read stays. Who writes for longer than five
-- seconds is not waited for, as others would wait behind.
create or replace function ledger_watermark(out upto_entry_no bigint, out upto_confirmation_no bigint)
language plpgsql security definer set lock_timeout = '5s' as $$
begin
  lock table entries, confirmations in share mode;
  select coalesce(max(entry_no), 0) into upto_entry_no from entries;
  select coalesce(max(confirmation_no), 0) into upto_confirmation_no from confirmations;
  raise exception using errcode = 'GSB01', message = 'the lock is let go';
exception when sqlstate 'GSB01' then
  null;
end $$;

-- The tables are the ledger's, whatever the caller's search path says.
do $$
begin
  execute format('alter function ledger_watermark() set search_path = %I, pg_temp', current_schema());
end $$;
