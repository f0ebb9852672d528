import { z } from 'zod';
import { rateLimited } from '#libs/contracts/errors.ts';
import { intervalMs } from '#libs/kernel/rate.ts';
import type { Rate } from '#libs/kernel/rate.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { bucketLua, loadScript } from '#libs/redis/script.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { NoteSecurity } from '#libs/runtime/security-events.ts';

const takeScript = loadScript({
  file: new URL('./take-tokens.lua', import.meta.url),
  beginsWith: bucketLua,
  keys: ['buckets...'],
  args: ['wanted'],
  answer: z.tuple([z.int(), z.number()]),
});

/** One token bucket of a limit. */
export interface Bucket {
  /** The limit's name, as the header RateLimit has it: lower-case words. */
  readonly limit: string;
  /** Whose bucket it is: an address, the id of a key, a PC. */
  readonly of: string;
  /** What `of` is, where a log line may say it. */
  readonly isA?: 'cafeId' | 'keyId' | 'pcId';
  readonly rate: Rate;
  /** Whether a token is taken, or it is only looked for. */
  readonly looks?: boolean;
  /** Who bears this mark does not meet the bucket. */
  readonly sparedBy?: string;
}

/** Limits how often something may happen, all replicas together. */
export interface RateLimiter {
  /** Takes a token of each bucket, or none of any. Throws RATE_LIMITED where one is empty, and UNAVAILABLE where Redis cannot tell. */
  take(buckets: readonly Bucket[]): Promise<void>;
  /** Sets a mark for thirty days, which spares its bearer from buckets that name it. */
  mark(name: string): Promise<void>;
}

const markedForSec = 30 * 86_400;

/** No limits at all. */
export const unlimited: RateLimiter = { take: async () => undefined, mark: async () => undefined };

/** Token buckets in Redis under `gsb:limit:{scope}`: one round trip however many buckets a request meets, and every key has a time to live. */
export const redisRateLimiter = (redis: Redis, scope: string, note: NoteSecurity): RateLimiter => {
  const key = (name: string) => `gsb:limit:{${scope}}:${name}`;
  return {
    take: async (buckets) => {
      const names = buckets.map(({ limit, of }) => `${limit}:${of}`);
      const marks = buckets.flatMap(({ sparedBy }) => sparedBy ?? []);
      const wanted = buckets.map(({ rate, looks, sparedBy }) => ({
        ...{ burst: rate.burst, interval_ms: intervalMs(rate), cost: looks === true ? 0 : 1 },
        ...(sparedBy !== undefined && { spared_by: names.length + marks.indexOf(sparedBy) + 1 }),
      }));
      const keys = [...names, ...marks].map(key);
      const [place, waitMs] = await takeScript(redis, keys, [JSON.stringify(wanted)]).catch(orUnavailable);
      const empty = buckets[place - 1];
      if (empty === undefined) return;
      const { limit, of, isA, rate } = empty;
      note('rate.limited', { limit, ...(isA && { [isA]: of }) });
      throw rateLimited({ ...rate, name: limit }, waitMs);
    },
    mark: async (name) => {
      await redis.set(key(name), '1', 'EX', markedForSec).catch(orUnavailable);
    },
  };
};
