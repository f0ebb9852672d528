-- Up Migration
-- What players are hashed with, a secret a month. A month's secret is deleted when nothing of that month is written any more: from then on
-- nobody can tell whose hashes those were.
create table user_hash_secrets (
  month date primary key,
  secret bytea not null
);
