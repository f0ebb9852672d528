import { z } from 'zod';
import type { Redis } from '#libs/redis/connection.ts';
import { orUnavailable } from '#libs/redis/unavailable.ts';
import type { Ports } from '../ports.ts';

const storedForMs = 300_000;
const inFlightMs = 10_000;
const storedResponse = z.object({ bodyHash: z.string(), answer: z.unknown().optional() });

const keyOf = (name: string) => `gsb:answer:{${name}}`;

/** Answers to requests with an Idempotency-Key, stored for five minutes. The mark of a request in flight expires, because its process may die (D-15). */
export const redisIdempotency = (redis: Redis): Ports['idempotency'] => ({
  begin: async (name, bodyHash) => {
    const inFlight = JSON.stringify({ bodyHash });
    const earlier = await redis
      .set(keyOf(name), inFlight, 'PX', inFlightMs, 'NX', 'GET')
      .catch(orUnavailable);
    if (earlier === null) return undefined;
    const { bodyHash: hash, answer } = storedResponse.parse(JSON.parse(earlier));
    return answer === undefined ? { bodyHash: hash } : { bodyHash: hash, answer };
  },
  store: async (name, response) => {
    await redis.set(keyOf(name), JSON.stringify(response), 'PX', storedForMs).catch(orUnavailable);
  },
  release: async (name) => {
    await redis.del(keyOf(name)).catch(orUnavailable);
  },
});
