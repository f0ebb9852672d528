-- What of the schema belongs to who asks, as GRANT and REVOKE name it, by kind. Objects of extensions are not the ledger's.
select kind, string_agg(name, ', ' order by name) as names
from (
  select oid, 'pg_class'::regclass as catalog, case relkind when 'S' then 'sequence' else 'table' end as kind, oid::regclass::text as name
  from pg_class
  where relkind in ('r', 'p', 'v', 'm', 'f', 'S') and relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'usage')
  union all
  select oid, 'pg_proc'::regclass, 'routine', oid::regprocedure::text
  from pg_proc where pronamespace = current_schema()::regnamespace and pg_has_role(proowner, 'usage')
) owned
where not exists (select from pg_depend d where d.classid = owned.catalog and d.objid = owned.oid and d.deptype = 'e')
group by kind
