-- Whether a role is there, may act as who asks, and may do more than it can be given: by itself, or by a role that it is a member of.
-- pg_has_role counts a superuser as a member of every role.
select
  r.oid is not null as exists,
  coalesce(not r.rolsuper and pg_has_role(r.oid, current_user, 'member'), false) as is_owner,
  exists (
    select from pg_roles g
    where pg_has_role(r.oid, g.oid, 'member') and (
      g.rolsuper or g.rolcreaterole or g.rolreplication or g.rolbypassrls
      or g.rolname in ('pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program')
    )
  ) as is_mighty
from (select $1::name as name) asked
left join pg_roles r on r.rolname = asked.name
