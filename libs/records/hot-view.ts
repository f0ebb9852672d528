import type { Redis } from 'ioredis';
import { unavailable } from '#libs/contracts/errors.ts';
import { shards } from '#libs/kernel/shards.ts';
import type { Log } from '#libs/runtime/log.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep, withDeadline } from '#libs/runtime/wait.ts';
import { wholeScript } from './record-scripts.ts';
import { shardKey } from './record-store.ts';

const pauseMs = 200;
const lockMs = 5_000;
const renewEveryMs = 1_000;
const patienceAtStartMs = 10_000;

/** Which Redis server a view may be trusted on. A restarted server, a promoted replica and an emptied one are other servers (D-24). */
export interface TrustedServer {
  /** The run id of the server that is connected; throws UNAVAILABLE while none is known. */
  server(): string;
  /** A script found that the view was not written on this server. */
  lost(): void;
}

interface ViewOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly instance: string;
  /** How long nothing expires after a rebuild that found something, in ms (D-11). */
  readonly amnestyMs: number;
  /** Puts everything the log knows into Redis; resolves to how many live records it found. */
  readonly rebuild: (signal: AbortSignal) => Promise<number>;
  readonly log: Log;
  readonly metrics: Metrics;
}

const runIdOf = async (redis: Redis): Promise<string | undefined> =>
  /run_id:(\w+)/.exec(await redis.info('server'))?.[1];

const isWhole = async ({ redis, prefix }: ViewOptions, server: string): Promise<boolean> => {
  const key = shardKey(prefix);
  const views = await Promise.all(shards.map((shard) => redis.hget(key(shard, 'watch'), 'view')));
  return views.every((view) => view === server);
};

const declareWhole = async (
  { redis, prefix }: ViewOptions,
  server: string,
  windowMs: number,
): Promise<void> => {
  const key = shardKey(prefix);
  await Promise.all(shards.map((shard) => wholeScript(redis, [key(shard, 'watch')], [server, windowMs])));
};

/** One replica rebuilds, the others wait; the lock of one that died goes by itself. False: somebody else has it. */
const withLock = async (
  { redis, prefix, instance }: ViewOptions,
  work: () => Promise<void>,
): Promise<boolean> => {
  const lock = `${prefix}:rebuild`;
  if ((await redis.set(lock, instance, 'PX', lockMs, 'NX')) === null) return false;
  const renew = setInterval(() => void redis.pexpire(lock, lockMs).catch(() => undefined), renewEveryMs);
  try {
    await work();
  } finally {
    clearInterval(renew);
    await redis.del(lock).catch(() => undefined);
  }
  return true;
};

const rebuildOn = async (options: ViewOptions, server: string, signal: AbortSignal): Promise<void> => {
  const { rebuild, amnestyMs, log, metrics } = options;
  const started = performance.now();
  const live = await rebuild(signal);
  await declareWhole(options, server, live > 0 ? amnestyMs : 0);
  const seconds = (performance.now() - started) / 1000;
  metrics.gauge('gsb_view_rebuild_duration_seconds').set(seconds);
  metrics.counter('gsb_view_rebuilds_total').inc();
  const what = { count: live, durationMs: Math.round(seconds * 1000) };
  if (live > 0) log.warn(what, operatorNotices.viewRebuilt);
};

/** True: nothing is left to do on this server. */
const mendOnce = async (options: ViewOptions, server: string, signal: AbortSignal): Promise<boolean> => {
  try {
    if (await isWhole(options, server)) return true;
    await withLock(options, () => rebuildOn(options, server, signal));
  } catch (error) {
    options.log.warn({ error }, 'the hot view could not be rebuilt; trying again');
  }
  return false;
};

/** Rebuilds until the view is whole on the server that is connected; ends early when the connection breaks. */
const mend = async (
  options: ViewOptions,
  connected: () => string | undefined,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    const server = connected();
    if (server === undefined || (await mendOnce(options, server, signal))) return;
    await sleep(pauseMs, signal);
  }
};

/**
 * The hot view of a service: trusted only on the server it was written on, rebuilt from the log on any other (architecture, idea A;
 * D-24). Until then every look and change is UNAVAILABLE. Starting waits ten seconds for it and then goes on without.
 */
export const createHotView = (options: ViewOptions): TrustedServer & Component => {
  const { redis, log } = options;
  const ended = new AbortController();
  let server: string | undefined;
  let mending: Promise<void> | undefined;
  const check = (): Promise<void> =>
    (mending ??= mend(options, () => server, ended.signal).finally(() => (mending = undefined)));
  const identify = async (): Promise<void> => {
    server = await runIdOf(redis);
    await check();
  };
  const onReady = () =>
    void identify().catch((error: unknown) => log.warn({ error }, 'Redis did not say who it is'));
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
      await withDeadline(identify(), patienceAtStartMs, unavailable).catch((error: unknown) =>
        log.warn({ error }, 'started without a whole view'),
      );
    },
    stop: async () => {
      ended.abort();
      redis.off('ready', onReady).off('close', onClose);
      await mending;
    },
  };
};
