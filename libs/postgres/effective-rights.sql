-- The rights that a role has in the ledger's schema, and to what the ledger's owner owns in other schemas that it may use: by a grant to
-- itself, to PUBLIC, or to a role that it is a member of, directly or not, whether it inherits or may only set that role. Objects of extensions
-- are not the ledger's.
with asked as (
  select oid from pg_roles where rolname = $1
),
through as (
  select g.oid, case when g.oid <> asked.oid then g.rolname end as member_of
  from asked join pg_roles g on pg_has_role(asked.oid, g.oid, 'member')
  -- PUBLIC
  union all select 0, null from asked
),
here as (
  select n.oid, n.nspowner, (select relowner from pg_class where oid = to_regclass('gsb_migrations')) as owner
  from pg_namespace n where n.nspname = current_schema()
),
relation as (
  select c.oid, c.relowner as owner, c.relkind = 'S' as is_sequence,
    format('%s %s', case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace, here
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and (n.oid = here.oid or c.relowner = here.owner and exists (select from through t where has_schema_privilege(t.oid, n.oid, 'usage')))
    and n.nspname !~ '^(pg_|information_schema$)'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
),
routine as (
  select p.oid, p.proowner as owner, format('function %s', p.oid::regprocedure) as name
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace, here
  where (n.oid = here.oid or p.proowner = here.owner and exists (select from through t where has_schema_privilege(t.oid, n.oid, 'usage')))
    and n.nspname !~ '^(pg_|information_schema$)'
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
),
of_tables as (
  select array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']
    || case when current_setting('server_version_num')::int >= 170000 then array['maintain'] else '{}' end as all_of_them
),
found as (
  select t.oid = 0 as by_all, t.member_of, format('%s on %s', privilege, r.name) as privilege
  from through t, relation r, of_tables, unnest(all_of_them) privilege
  where not r.is_sequence and has_table_privilege(t.oid, r.oid, privilege)
  union all
  select t.oid = 0 as by_all, t.member_of, format('%s (%s) on %s', privilege, quote_ident(a.attname), r.name)
  from through t, relation r, pg_attribute a, unnest(array['select', 'insert', 'update', 'references']) privilege
  where not r.is_sequence and a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    and not has_table_privilege(t.oid, r.oid, privilege) and has_column_privilege(t.oid, r.oid, a.attnum, privilege)
  union all
  select t.oid = 0 as by_all, t.member_of, format('%s on %s', privilege, r.name)
  from through t, relation r, unnest(array['usage', 'select', 'update']) privilege
  where r.is_sequence and has_sequence_privilege(t.oid, r.oid, privilege)
  union all
  select t.oid = 0 as by_all, t.member_of, format('execute on %s', f.name)
  from through t, routine f where has_function_privilege(t.oid, f.oid, 'execute')
  union all
  select t.oid = 0 as by_all, t.member_of, format('%s on schema %s', privilege, here.oid::regnamespace)
  from through t, here, unnest(array['usage', 'create']) privilege where has_schema_privilege(t.oid, here.oid, privilege)
  union all
  select t.oid = 0 as by_all, t.member_of, format('create on database %I', current_database())
  from through t where has_database_privilege(t.oid, current_database(), 'create')
  union all
  select t.oid = 0 as by_all, t.member_of, format('%s on parameter session_replication_role', privilege)
  from through t, unnest(array['set', 'alter system']) privilege
  where has_parameter_privilege(t.oid, 'session_replication_role', privilege)
  union all
  select false, t.member_of, format('ownership of %s', owned.name)
  from through t join (
    select owner, name from relation
    union all select owner, name from routine
    union all select nspowner, format('schema %s', oid::regnamespace) from here
    union all select datdba, format('database %I', datname) from pg_database where datname = current_database()
  ) owned on owned.owner = t.oid
)
select privilege, case when not bool_or(by_all) then min(member_of) end as member_of
from found group by privilege order by privilege
