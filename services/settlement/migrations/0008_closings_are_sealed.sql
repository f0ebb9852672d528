-- Up Migration
-- A closing is sealed by its result, its last row: nothing is added to it after that, and none is committed without it. Whoever may close a day
-- can then not change one that is closed. A closing and its result are committed together, so in one snapshot a closing without a result is
-- this transaction's own, whatever its savepoints; no transaction ids are compared, which a restored dump would give again. The release before
-- writes in this order too, in one transaction, and goes on closing days.
create function refuse_sealed() returns trigger language plpgsql as $$
declare
  sealed date;
begin
  select a.day into sealed from (select distinct day from added) a
  where not exists (
    select from closings k
    where k.day = a.day and not exists (select from closing_results r where r.day = k.day)
  );
  if found then
    raise exception 'nothing is added to the closing of % that this transaction has not begun, or has ended with its result', sealed;
  end if;
  return null;
end $$;

create function refuse_unsealed() returns trigger language plpgsql as $$
begin
  if not exists (select from closing_results r where r.day = new.day) then
    raise exception 'the closing of % has no result', new.day;
  end if;
  return null;
end $$;

-- The tables are the ledger's, whatever the caller's search path or temporary tables say.
do $$
begin
  execute format('alter function refuse_sealed() set search_path = %I, pg_temp', current_schema());
  execute format('alter function refuse_unsealed() set search_path = %I, pg_temp', current_schema());
end $$;

-- Once a statement: a day may have a million differences.
create trigger closing_totals_are_sealed after insert on closing_totals
  referencing new table as added for each statement execute function refuse_sealed();
create trigger closing_adjustments_are_sealed after insert on closing_adjustments
  referencing new table as added for each statement execute function refuse_sealed();
create trigger closing_differences_are_sealed after insert on closing_differences
  referencing new table as added for each statement execute function refuse_sealed();
create trigger closing_difference_sums_are_sealed after insert on closing_difference_sums
  referencing new table as added for each statement execute function refuse_sealed();
create constraint trigger closings_have_results after insert on closings
  deferrable initially deferred for each row execute function refuse_unsealed();
