import { Redis } from 'ioredis';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';

export type { Redis } from 'ioredis';

const connectTimeoutMs = 1_000;
const commandTimeoutMs = 500;
const maxReconnectPauseMs = 1_000;

/** A connection as a component of a service. */
export type RedisConnection = Component & { readonly client: Redis };

interface RedisOptions {
  readonly url: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Measures the duration and outcome of every command; a script is measured under the name of its command (`eval`, `evalsha`). */
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
 * Connects to Redis on start and keeps reconnecting. A command that is not answered within half a second, or is issued while the
 * connection is down, rejects: adapters turn that into UNAVAILABLE, so no caller waits for a store that is down.
 */
export const connectRedis = ({ url, log, metrics }: RedisOptions): RedisConnection => {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 1,
    // A command meant for one server is never sent to the next one: that may be another server, or behind (D-24).
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), maxReconnectPauseMs),
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
