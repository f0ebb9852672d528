import { createHash, randomBytes } from 'node:crypto';
import { redisAcl, redisUsers } from '#libs/contracts/redis-users.ts';
import type { RedisUserName } from '#libs/contracts/redis-users.ts';

/** How each service signs in to Redis, as settings, and the users as the server's configuration has them. */
export interface RedisLogins {
  readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly users: readonly string[];
}

/** Nobody signs in: the servers of the environment have users of their own. */
export const noLogins: RedisLogins = { settings: {}, users: [] };

/** A user of Redis for each service, with a new password. */
export const createRedisLogins = (): RedisLogins => {
  const logins = (Object.keys(redisUsers) as RedisUserName[]).map((name) => {
    const password = randomBytes(16).toString('hex');
    return { name, password, user: redisAcl(name, createHash('sha256').update(password).digest('hex')) };
  });
  return {
    settings: Object.fromEntries(
      logins.map(({ name, password }) => [name, { REDIS_USERNAME: name, REDIS_PASSWORD: password }]),
    ),
    users: logins.map(({ user }) => user),
  };
};
