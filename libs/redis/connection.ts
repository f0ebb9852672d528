import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { RedisAccess } from '#libs/runtime/redis-settings.ts';
import type { Component } from '#libs/runtime/service.ts';
import { clusterClient } from './cluster-client.ts';
import { giveUpCommands } from './give-up-commands.ts';
import { pingConnection } from './ping-connection.ts';

export type { Redis } from 'ioredis';

const connectTimeoutMs = 1_000;
const sentinelTimeoutMs = 1_500;
/** TCP itself gives up a silent host after a quarter of an hour. */
const socketTimeoutMs = 2_000;
const maxReconnectPauseMs = 1_000;

/** A connection as a component of a service. */
export type RedisConnection = Component & { readonly client: Redis };

interface ConnectionOptions {
  readonly server: RedisAccess;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Measures the duration and outcome of every command; a script is measured under the name of its command (`eval`, `evalsha`). */
const measure = (client: Redis, metrics: Metrics): void => {
  const durations = metrics.histogram('gsb_redis_script_duration_seconds');
  const failed = metrics.counter('gsb_redis_failed_commands_total');
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command, stream) => {
    const stop = durations.startTimer({ script: command.name });
    command.promise.then(
      () => stop({ outcome: 'ok' }),
      () => {
        stop({ outcome: 'failed' });
        failed.inc();
      },
    );
    return send(command, stream);
  };
};

/** The commands of one turn of the event loop leave in one write: under load most of the cost of a small command is its own write. */
const writeTogether = (client: Redis): void => {
  const send = client.sendCommand.bind(client);
  let corked: Redis['stream'] | undefined;
  client.sendCommand = (command, stream) => {
    const socket = client.stream as Redis['stream'] | undefined;
    if (socket !== undefined && socket !== corked) {
      corked = socket;
      socket.cork();
      setImmediate(() => {
        if (corked === socket) corked = undefined;
        socket.uncork();
      });
    }
    return send(command, stream);
  };
};

const reconnectPause = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 6), maxReconnectPauseMs);

const common = {
  lazyConnect: true,
  connectTimeout: connectTimeoutMs,
  socketTimeout: socketTimeoutMs,
  maxRetriesPerRequest: 1,
  // A command meant for one server is never sent to the next one: that may be another server, or behind (D-24).
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  retryStrategy: reconnectPause,
  // A server that is a primary no more, or whose cluster is not whole, is asked anew what it is when it is one again (D-24).
  reconnectOnError: ({ message }: Error) => /^(READONLY|CLUSTERDOWN)/.test(message),
} satisfies RedisOptions;

/** How to sign in where no URL says it; what is not set is left out. */
const loginOf = ({ username, password }: Exclude<RedisAccess, { readonly mode: 'single' }>) => ({
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
});

/**
 * The primary that the Sentinels name, asked each time a connection is made. A primary that was replaced breaks its connections, is silent
 * (`socketTimeout`) or answers READONLY. ioredis' `failoverDetector` stays off: when it notices a new primary while a connection is being
 * made, the client ends for good.
 */
const ofSentinels = (server: RedisAccess & { readonly mode: 'sentinel' }) => ({
  ...common,
  sentinels: server.sentinels.map(({ host, port }) => ({ host, port })),
  name: server.master,
  role: 'master' as const,
  // No caller waits for a Sentinel; a slow one is asked for longer than a store.
  sentinelCommandTimeout: sentinelTimeoutMs,
  sentinelRetryStrategy: reconnectPause,
  ...loginOf(server),
  ...(server.sentinelPassword !== undefined && { sentinelPassword: server.sentinelPassword }),
  ...(server.tls && { tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} }),
});

/** What every connection to one server needs, on which commands travel. */
const prepare = (connection: Redis): void => {
  giveUpCommands(connection);
  writeTogether(connection);
  pingConnection(connection);
};

const ofCluster = (server: RedisAccess & { readonly mode: 'cluster' }): Redis =>
  clusterClient({
    ...{ seeds: server.nodes, prepare, pauseMs: reconnectPause },
    options: { ...common, ...loginOf(server), ...(server.tls && { tls: {} }) },
  });

const clientOf = (server: RedisAccess): Redis => {
  if (server.mode === 'cluster') return ofCluster(server);
  const client = server.mode === 'single' ? new Redis(server.url, common) : new Redis(ofSentinels(server));
  prepare(client);
  return client;
};

/**
 * Connects to Redis on start and keeps reconnecting. A command that is not answered within half a second, or is issued while the
 * connection is down, rejects: adapters turn that into UNAVAILABLE, so no caller waits for a store that is down. A connection that has
 * been silent for two seconds is broken off and made again.
 */
export const connectRedis = ({ server, log, metrics }: ConnectionOptions): RedisConnection => {
  const client = clientOf(server);
  measure(client, metrics);
  const logFailure = (error: Error) => log.warn({ error }, 'redis connection failed');
  client.on('error', logFailure);
  const connected = metrics.gauge('gsb_redis_connected');
  client.on('ready', () => connected.set(1)).on('close', () => connected.set(0));
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
