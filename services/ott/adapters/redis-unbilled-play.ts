import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';

/** A cafe's pending starts are forgotten a day after the last of them. */
const rememberedSec = 86_400;
const keyOf = (cafeId: string) => `gsb:ott:{${cafeId}}:unbilled`;

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
