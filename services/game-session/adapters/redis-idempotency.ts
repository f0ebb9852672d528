import { z } from 'zod';
import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { StoredResponse, Ports } from '../ports.ts';

const keptForMs = 300_000;
const inFlightMs = 10_000;
const kept = z.object({ bodyHash: z.string(), answer: z.unknown().optional() });

const keyOf = (name: string) => `gsb:answer:{${name}}`;

/** Answers to requests with an Idempotency-Key, kept for five minutes. The mark of a request in flight expires, for its process may die (D-15). */
export const redisIdempotencyStore = (redis: Redis): Ports['answers'] => ({
  begin: async (name, bodyHash): Promise<StoredResponse | undefined> => {
    const mark = JSON.stringify({ bodyHash });
    const earlier = await redis.set(keyOf(name), mark, 'PX', inFlightMs, 'NX', 'GET').catch(orUnavailable);
    if (earlier === null) return undefined;
    const { bodyHash: hash, answer } = kept.parse(JSON.parse(earlier));
    return answer === undefined ? { bodyHash: hash } : { bodyHash: hash, answer };
  },
  keep: async (name, answered) => {
    await redis.set(keyOf(name), JSON.stringify(answered), 'PX', keptForMs).catch(orUnavailable);
  },
  drop: async (name) => {
    await redis.del(keyOf(name)).catch(orUnavailable);
  },
});
