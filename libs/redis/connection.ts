import { Redis } from 'ioredis';
import type { Log } from '#libs/runtime/log.ts';
import type { Part } from '#libs/runtime/service.ts';

const connectTimeoutMs = 1_000;
const commandTimeoutMs = 500;
const longestPauseMs = 1_000;

/** A connection that is a part of a service: started, stopped, and told of when it breaks. */
export type RedisConnection = Part & { readonly client: Redis };

/**
 * Connects to Redis on start and keeps reconnecting. A command waits at most half a second and is then refused (UNAVAILABLE
 * upstairs): a caller never hangs on a store that is away.
 */
export const connectRedis = ({ url, log }: { url: string; log: Log }): RedisConnection => {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), longestPauseMs),
  });
  const logFailure = (error: Error) => log.warn({ error: error.message }, 'redis connection failed');
  client.on('error', logFailure);
  return {
    name: 'redis',
    client,
    start: async () => {
      await client.connect();
    },
    stop: async () => {
      client.disconnect();
    },
  };
};
