-- Whether a role is there, may act as who asks, and what it may do whatever it is granted: by itself, or by a role that it is a member of,
-- directly or not. pg_has_role counts a superuser as a member of every role, and who owns the database as one of pg_database_owner.
select
  r.oid is not null as exists,
  coalesce(not r.rolsuper and pg_has_role(r.oid, current_user, 'member'), false) as is_owner,
  array(
    select might || case when g.oid = r.oid or g.rolname ~ '^pg_' then '' else ', as a member of ' || g.rolname end
    from pg_roles g
    cross join lateral unnest(array[
      case when g.rolsuper then 'is a superuser' end,
      case when g.rolcreaterole then 'may create roles' end,
      case when g.rolreplication then 'may replicate' end,
      case when g.rolbypassrls then 'may bypass row security' end,
      case when g.rolname ~ '^pg_' then 'is a member of ' || g.rolname end
    ]) might
    where might is not null and (g.oid = r.oid or not r.rolsuper and pg_has_role(r.oid, g.oid, 'member'))
    order by 1
  ) as mights
from (select $1::name as name) asked
left join pg_roles r on r.rolname = asked.name
