import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';

const keptForSec = 60;
/** Many starts from an address that is no cafe's ask the partner once; one that has just become a cafe's waits no longer than this. */
const noneKeptForSec = 10;
const none = '-';
const keyOf = (ip: string) => `gsb:cafe:{${ip}}`;

/** Which cafe an address belonged to within the last minute, or that it belonged to none within the last seconds (D-42). */
export const redisCafeCache = (redis: Redis): Ports['cafeCache'] => ({
  get: async (ip) => {
    const known = await redis.get(keyOf(ip)).catch(orUnavailable);
    return known === none ? null : (known ?? undefined);
  },
  set: async (ip, cafeId) => {
    const seconds = cafeId === null ? noneKeptForSec : keptForSec;
    await redis.set(keyOf(ip), cafeId ?? none, 'EX', seconds).catch(orUnavailable);
  },
});
