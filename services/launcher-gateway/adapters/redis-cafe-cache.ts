import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';

/** Longer than a launcher may be silent: what the partner said too late for one request is known at the next (D-45). */
const rememberedForSec = 3_600;
const freshForSec = 60;
/** Many starts from an address that is no cafe's ask the partner once; one that has just become a cafe's waits no longer than this. */
const noneFreshForSec = 10;
const none = '-';
/** Releases that kept a verdict for no longer than it was fresh have another key: for them, one that is there is fresh. */
const keyOf = (ip: string) => `gsb:cafe:last:{${ip}}`;

/** Which cafe an address belonged to when the partner last said, within the hour, and whether that is recent enough not to ask again (D-42). */
export const redisCafeCache = (redis: Redis): Ports['cafeCache'] => ({
  get: async (ip) => {
    const reads = [redis.get(keyOf(ip)), redis.pttl(keyOf(ip))] as const;
    const [known, leftMs] = await Promise.all(reads).catch(orUnavailable);
    if (known === null) return undefined;
    const ageSec = rememberedForSec - leftMs / 1000;
    return known === none
      ? { cafeId: null, isFresh: ageSec < noneFreshForSec }
      : { cafeId: known, isFresh: ageSec < freshForSec };
  },
  set: async (ip, cafeId) => {
    await redis.set(keyOf(ip), cafeId ?? none, 'EX', rememberedForSec).catch(orUnavailable);
  },
});
