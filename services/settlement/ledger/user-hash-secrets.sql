-- The secrets that players are hashed with, by the first day of a month.

-- name: offerSecret
insert into user_hash_secrets (month, secret) values ($1::date, decode($2, 'hex')) on conflict (month) do nothing;

-- name: readSecret
select encode(secret, 'hex') as secret from user_hash_secrets where month = $1::date;

-- name: forgetSecrets
delete from user_hash_secrets where month < $1::date - interval '2 months';
