import type { Limits } from '#libs/kernel/limits.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';

/** Refused presentations in Redis, a key each. They are gone with a Redis that is lost: the log has no token with them. */
export const redisRefusals = (redis: Redis, { ottTtlSec }: Pick<Limits, 'ottTtlSec'>): Ports['refusals'] => {
  const keyOf = (tokenHash: string, eventId: string) => `gsb:ott:refused:${tokenHash}:${eventId}`;
  return {
    has: async (tokenHash, eventId) =>
      (await redis.exists(keyOf(tokenHash, eventId)).catch(orUnavailable)) === 1,
    remember: async (tokenHash, eventId) => {
      await redis.set(keyOf(tokenHash, eventId), '', 'EX', ottTtlSec).catch(orUnavailable);
    },
  };
};
