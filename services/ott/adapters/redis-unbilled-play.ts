import type { Redis } from 'ioredis';
import { unavailable } from '#libs/contracts/errors.ts';
import type { Ports } from '../ports.ts';

/** A day after a cafe's last pending start nobody waits for it any more. */
const rememberedSec = 86_400;
const keyOf = (cafeId: string) => `gsb:ott:{${cafeId}}:unbilled`;

const orUnavailable = (error: unknown): never => {
  throw unavailable(error);
};

/** Sessions of each cafe whose billing is pending, by the instant of their start (D-26). */
export const redisUnbilledPlay = (redis: Redis): Ports['unbilled'] => ({
  begin: async (cafeId, gameSessionId, startedAtMs) => {
    const key = keyOf(cafeId);
    await redis.zadd(key, startedAtMs, gameSessionId).catch(orUnavailable);
    await redis.expire(key, rememberedSec).catch(orUnavailable);
  },
  end: async (cafeId, gameSessionId) => {
    await redis.zrem(keyOf(cafeId), gameSessionId).catch(orUnavailable);
  },
  seconds: async (cafeId, nowMs) => {
    const flat = await redis.zrange(keyOf(cafeId), 0, '-1', 'WITHSCORES').catch(orUnavailable);
    const startedAt = flat.filter((_, index) => index % 2 === 1).map(Number);
    return startedAt.reduce((sum, startedAtMs) => sum + Math.max(0, nowMs - startedAtMs) / 1000, 0);
  },
});
