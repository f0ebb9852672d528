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

const retryPauseMs = 200;
const lockMs = 5_000;
const renewLockEveryMs = 1_000;
const startWaitMs = 10_000;

interface ViewOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly instance: string;
  /** How long nothing expires after a rebuild that found live records, in ms (D-11). */
  readonly amnestyMs: number;
  /** Writes what the log knows into Redis; resolves to how many live records it found. */
  readonly rebuild: (signal: AbortSignal) => Promise<number>;
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

/** Runs `work` while holding the lock of the view, so that one replica rebuilds and the others wait; does nothing while another replica holds it. The lock of a replica that died expires. */
const withLock = async (
  { redis, prefix, instance }: ViewOptions,
  work: () => Promise<void>,
): Promise<void> => {
  const lock = `${prefix}:rebuild`;
  if ((await redis.set(lock, instance, 'PX', lockMs, 'NX')) === null) return;
  const renew = setInterval(() => void redis.pexpire(lock, lockMs).catch(() => undefined), renewLockEveryMs);
  try {
    await work();
  } finally {
    clearInterval(renew);
    await redis.del(lock).catch(() => undefined);
  }
};

const rebuildOn = async (options: ViewOptions, server: string, signal: AbortSignal): Promise<void> => {
  const { rebuild, amnestyMs, log, metrics } = options;
  const started = performance.now();
  const live = await rebuild(signal);
  await markComplete(options, server, live > 0 ? amnestyMs : 0);
  const seconds = (performance.now() - started) / 1000;
  metrics.gauge('gsb_view_rebuild_duration_seconds').set(seconds);
  metrics.counter('gsb_view_rebuilds_total').inc();
  const fields = { count: live, durationMs: Math.round(seconds * 1000) };
  if (live > 0) log.warn(fields, operatorNotices.viewRebuilt);
};

/** Resolves to whether the view was found complete on this server. */
const rebuildOnce = async (options: ViewOptions, server: string, signal: AbortSignal): Promise<boolean> => {
  try {
    if (await isComplete(options, server)) return true;
    await withLock(options, () => rebuildOn(options, server, signal));
  } catch (error) {
    options.log.warn({ error }, 'the hot view could not be rebuilt; trying again');
  }
  return false;
};

/** Rebuilds until the view is complete on the connected server; ends early when the connection breaks. */
const rebuildUntilComplete = async (
  options: ViewOptions,
  connected: () => string | undefined,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const server = connected();
    if (server === undefined || (await rebuildOnce(options, server, signal))) return;
    await sleep(retryPauseMs, signal);
  }
};

/**
 * The hot view of a service in Redis: trusted only on the server that it was written on, rebuilt from the log on any other (D-24). Until
 * it is complete every read and write is UNAVAILABLE. Starting waits at most ten seconds for that; the rebuild goes on afterwards.
 */
export const createHotView = (options: ViewOptions): TrustedServer & Component => {
  const { redis, log } = options;
  const stopped = new AbortController();
  let server: string | undefined;
  let rebuilding: Promise<void> | undefined;
  const check = (): Promise<void> =>
    (rebuilding ??= rebuildUntilComplete(options, () => server, stopped.signal).finally(
      () => (rebuilding = undefined),
    ));
  const identify = async (): Promise<void> => {
    server = await askRunId(options, stopped.signal);
    await check();
  };
  const onReady = () => void identify();
  const onClose = () => (server = undefined);
  return {
    name: 'hot view',
    server: () => {
      if (server === undefined) throw unavailable();
      return server;
    },
    lost: () => void check(),
    start: async () => {
      redis.on('ready', onReady).on('close', onClose);
      await withDeadline(identify(), startWaitMs, unavailable).catch((error: unknown) =>
        log.warn({ error }, 'started before the view is complete'),
      );
    },
    stop: async () => {
      stopped.abort();
      redis.off('ready', onReady).off('close', onClose);
      await rebuilding;
    },
  };
};
