import { Redis } from 'ioredis';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';

const connectTimeoutMs = 1_000;
const commandTimeoutMs = 500;
const longestPauseMs = 1_000;

/** A connection that is a part of a service: started, stopped, and told of when it breaks. */
export type RedisConnection = Component & { readonly client: Redis };

interface RedisOptions {
  readonly url: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Measures every command and script where it leaves; a script goes by its file's name. */
const measure = (client: Redis, metrics: Metrics): void => {
  const durations = metrics.histogram('gsb_redis_script_duration_seconds');
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command, stream) => {
    const stop = durations.startTimer({ script: command.name });
    command.promise.then(
      () => stop({ outcome: 'ok' }),
      () => stop({ outcome: 'failed' }),
    );
    return send(command, stream);
  };
};

/**
 * Connects to Redis on start and keeps reconnecting. A command waits at most half a second and is then refused (UNAVAILABLE
 * upstairs): a caller never hangs on a store that is away.
 */
export const connectRedis = ({ url, log, metrics }: RedisOptions): RedisConnection => {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 1,
    // What was meant for one server is never said to the next: it may be another, or behind (D-24).
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), longestPauseMs),
  });
  measure(client, metrics);
  const logFailure = (error: Error) => log.warn({ error }, 'redis connection failed');
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
