import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';

const keptForSec = 60;
const keyOf = (ip: string) => `gsb:cafe:{${ip}}`;

/** Which cafe an address belonged to within the last minute. */
export const redisCafeCache = (redis: Redis): Ports['cafeCache'] => ({
  get: async (ip) => (await redis.get(keyOf(ip)).catch(orUnavailable)) ?? undefined,
  set: async (ip, cafeId) => {
    await redis.set(keyOf(ip), cafeId, 'EX', keptForSec).catch(orUnavailable);
  },
});
