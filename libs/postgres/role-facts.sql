-- Whether a role is there, may act as who asks, and may do more than it can be given. pg_has_role counts a superuser as a member of every role.
select
  r.oid is not null as exists,
  coalesce(not r.rolsuper and pg_has_role(r.oid, current_user, 'member'), false) as is_owner,
  coalesce(r.rolsuper or r.rolcreaterole or r.rolreplication or r.rolbypassrls, false) as is_mighty
from (select $1::name as name) asked
left join pg_roles r on r.rolname = asked.name
