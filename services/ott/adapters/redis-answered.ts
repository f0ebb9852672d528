import type { Limits } from '#libs/kernel/limits.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';

/** Presentations that were answered, in Redis, a key each. They are gone with a Redis that is lost: the log has no token with them. */
export const redisAnswered = (redis: Redis, { ottTtlSec }: Pick<Limits, 'ottTtlSec'>): Ports['answered'] => {
  const keyOf = (tokenHash: string, eventId: string) => `gsb:ott:answered:${tokenHash}:${eventId}`;
  return {
    has: async (tokenHash, eventId) =>
      (await redis.exists(keyOf(tokenHash, eventId)).catch(orUnavailable)) === 1,
    remember: async (tokenHash, eventId) => {
      await redis.set(keyOf(tokenHash, eventId), '', 'EX', ottTtlSec).catch(orUnavailable);
    },
  };
};
