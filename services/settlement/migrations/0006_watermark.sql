-- Up Migration
-- The ledger's watermark, for a role that may read the ledger and not change it, and so may not lock it. A row has its number before it is
-- committed: the lock waits for those who are writing one, and new writers wait for the lock, until the call ends.
create function ledger_watermark(out upto_entry_no bigint, out upto_confirmation_no bigint)
language plpgsql security definer as $$
begin
  lock table entries, confirmations in share mode;
  select coalesce(max(entry_no), 0) into upto_entry_no from entries;
  select coalesce(max(confirmation_no), 0) into upto_confirmation_no from confirmations;
end $$;

-- The tables are the ledger's, whatever the caller's search path says.
do $$
begin
  execute format('alter function ledger_watermark() set search_path = %I, pg_temp', current_schema());
end $$;

revoke execute on function ledger_watermark() from public;
