import { unavailable } from '#libs/contracts/errors.ts';
import { shards } from '#libs/kernel/shards.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { Log } from '#libs/runtime/log.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep, withDeadline } from '#libs/runtime/wait.ts';
import { viewCompleteScript } from './record-scripts.ts';
import type { TrustedServer } from './record-types.ts';
import { shardKey } from './shard-key.ts';
import { createSharedWork } from './shared-work.ts';
import type { SharedWork } from './shared-work.ts';

const retryPauseMs = 200;
const startWaitMs = 10_000;

/** What a rebuild has found. */
export interface Rebuilt {
  /** How many live records, all replicas together. */
  readonly live: number;
  /**
   * Writes what has come to the log since, and settles what only the whole log decides. Called before the view is declared complete, and
   * then now and then, for as long as somebody may publish what he stored before the loss.
   */
  readonly follow: (signal: AbortSignal) => Promise<void>;
}

/** Rebuilds a view. The signal aborts when the server is lost again. */
export type Rebuild = (signal: AbortSignal, shared: SharedWork) => Promise<Rebuilt>;

interface ViewOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly instance: string;
  /** How long nothing expires after a rebuild that found live records, in ms (D-11). */
  readonly amnestyMs: number;
  /** Writes what the log knows into Redis, together with the other replicas. */
  readonly rebuild: Rebuild;
  readonly log: Log;
  readonly metrics: Metrics;
}

const runIdOf = async (redis: Redis): Promise<string | undefined> =>
  /run_id:(\w+)/.exec(await redis.info('server'))?.[1];

/** Asks until the server has told its run id, or the connection is gone: one late answer is no reason to refuse everything for ever. */
const askRunId = async ({ redis, log }: ViewOptions, signal: AbortSignal): Promise<string | undefined> => {
  while (redis.status === 'ready' && !signal.aborted) {
    try {
      return await runIdOf(redis);
    } catch (error) {
      log.warn({ error }, 'the run id of Redis could not be read; asking again');
    }
    await sleep(retryPauseMs, signal);
  }
  return undefined;
};

const isComplete = async ({ redis, prefix }: ViewOptions, server: string): Promise<boolean> => {
  const key = shardKey(prefix);
  const views = await Promise.all(shards.map((shard) => redis.hget(key(shard, 'watch'), 'view')));
  return views.every((view) => view === server);
};

const markComplete = async (
  { redis, prefix }: ViewOptions,
  server: string,
  windowMs: number,
): Promise<void> => {
  const key = shardKey(prefix);
  const inShard = (shard: string) => viewCompleteScript(redis, [key(shard, 'watch')], [server, windowMs]);
  await Promise.all(shards.map(inShard));
};

const workName = (prefix: string, server: string): string => `${prefix}:rebuild:${server}`;

/** The replicas rebuild together, and one of them declares the view complete. */
const rebuildOn = async (options: ViewOptions, server: string, signal: AbortSignal): Promise<Rebuilt> => {
  const { redis, prefix, instance, rebuild, amnestyMs, log, metrics } = options;
  const started = performance.now();
  const shared = createSharedWork({ redis, name: workName(prefix, server), instance, signal });
  const rebuilt = await rebuild(signal, shared);
  // What others wrote meanwhile, who had not noticed the loss yet.
  await rebuilt.follow(signal);
  await shared.each(['complete'], async () => {
    await markComplete(options, server, rebuilt.live > 0 ? amnestyMs : 0);
    return 0;
  });
  const seconds = (performance.now() - started) / 1000;
  metrics.gauge('gsb_view_rebuild_duration_seconds').set(seconds);
  metrics.counter('gsb_view_rebuilds_total').inc();
  const fields = { count: rebuilt.live, durationMs: Math.round(seconds * 1000) };
  if (rebuilt.live > 0) log.warn(fields, operatorNotices.viewRebuilt);
  return rebuilt;
};

/** An event may reach the log 30 s after its change was stored, on the server that was lost. */
const followAfterMs = [1_000, 5_000, 30_000];

const follow = async ({ log }: ViewOptions, rebuilt: Rebuilt, signal: AbortSignal): Promise<void> => {
  for (const pauseMs of followAfterMs) {
    await sleep(pauseMs, signal);
    if (signal.aborted) return;
    await rebuilt.follow(signal).catch((error: unknown) => {
      log.warn({ error }, 'what came to the log after the rebuild could not be read');
    });
  }
};

/** A connection to a server of which the run id is known; the signal aborts when it breaks. */
interface Connected {
  readonly server: string;
  readonly signal: AbortSignal;
}

/** What a view that was lost without its server left of an earlier rebuild would make this one look finished. */
const forgetEarlier = async ({ redis, prefix }: ViewOptions, server: string): Promise<void> => {
  const name = workName(prefix, server);
  if ((await redis.hexists(name, 'complete')) === 1) await redis.del(name);
};

/** Resolves to whether the view was found complete on this server. */
const rebuildOnce = async (
  options: ViewOptions,
  { server, signal }: Connected,
  onRebuilt: (rebuilt: Rebuilt, signal: AbortSignal) => void,
): Promise<boolean> => {
  try {
    if (await isComplete(options, server)) return true;
    await forgetEarlier(options, server);
    onRebuilt(await rebuildOn(options, server, signal), signal);
  } catch (error) {
    if (!signal.aborted) options.log.warn({ error }, 'the hot view could not be rebuilt; trying again');
  }
  return false;
};

/** Knows the server that is connected, from the events of the connection. */
const createServerWatch = (options: ViewOptions, stopped: AbortSignal, onConnected: () => Promise<void>) => {
  const { redis } = options;
  let connection = new AbortController();
  let connected: Connected | undefined;
  const identify = async (): Promise<void> => {
    const signal = AbortSignal.any([connection.signal, stopped]);
    const server = await askRunId(options, signal);
    if (signal.aborted || server === undefined) return;
    connected = { server, signal };
    await onConnected();
  };
  const onReady = () => void identify();
  const onClose = (): void => {
    connection.abort();
    connection = new AbortController();
    connected = undefined;
  };
  return {
    connected: () => connected,
    start: async () => {
      redis.on('ready', onReady).on('close', onClose);
      await identify();
    },
    stop: () => void redis.off('ready', onReady).off('close', onClose),
  };
};

/**
 * The hot view of a service in Redis: trusted only on the server that it was written on, rebuilt from the log on any other (D-24). Until
 * it is complete every read and write is UNAVAILABLE. Starting waits at most ten seconds for that; the rebuild goes on afterwards.
 */
export const createHotView = (options: ViewOptions): TrustedServer & Component => {
  const { log } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  let rebuilding: Promise<void> | undefined;
  let following = Promise.resolve();
  const onRebuilt = (rebuilt: Rebuilt, whileConnected: AbortSignal): void => {
    following = follow(options, rebuilt, whileConnected);
  };
  const untilComplete = async (): Promise<void> => {
    for (let now = watch.connected(); now && !signal.aborted; now = watch.connected()) {
      if (await rebuildOnce(options, now, onRebuilt)) return;
      await sleep(retryPauseMs, signal);
    }
  };
  const check = (): Promise<void> => (rebuilding ??= untilComplete().finally(() => (rebuilding = undefined)));
  const watch = createServerWatch(options, signal, check);
  return {
    name: 'hot view',
    server: () => {
      const now = watch.connected();
      if (now === undefined) throw unavailable();
      return now.server;
    },
    lost: () => void check(),
    start: async () => {
      await withDeadline(watch.start(), startWaitMs, unavailable).catch((error: unknown) =>
        log.warn({ error }, 'started before the view is complete'),
      );
    },
    stop: async () => {
      stopped.abort();
      watch.stop();
      await rebuilding;
      await following;
    },
  };
};
