import { unavailable } from '#libs/contracts/errors.ts';
import { shards } from '#libs/kernel/shards.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { Log } from '#libs/runtime/log.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep, withDeadline } from '#libs/runtime/wait.ts';
import { followRebuild, followedMs } from './follow-rebuild.ts';
import type { Rebuilt } from './follow-rebuild.ts';
import { viewCompleteScript, viewStaleScript } from './record-scripts.ts';
import type { TrustedServer } from './record-types.ts';
import { shardKey } from './shard-key.ts';
import { createServerWatch, eraOf } from './server-watch.ts';
import type { Connected } from './server-watch.ts';
import { createSharedWork } from './shared-work.ts';
import type { SharedWork } from './shared-work.ts';

const retryPauseMs = 200;
const startWaitMs = 10_000;

/** Rebuilds a view. The signal aborts when the server is lost again. */
export type Rebuild = (signal: AbortSignal, shared: SharedWork) => Promise<Rebuilt>;

interface ViewOptions {
  readonly redis: Redis;
  readonly prefix: string;
  readonly instance: string;
  /** The set of deadlines in which its live records stand. */
  readonly live: 'expiries' | 'deadlines';
  /** How long nothing expires after a rebuild that found live records, in ms (D-11). */
  readonly amnestyMs: number;
  /** Writes what the log knows into Redis, together with the other replicas. */
  readonly rebuild: Rebuild;
  /** Called before a view of an earlier time of this server is lost, while nobody trusts it. */
  readonly onStale?: () => Promise<unknown>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What is marked as complete on this server was so when it was a primary before: nobody may trust it any more. */
const distrust = async ({ redis, prefix, onStale }: ViewOptions, era: string): Promise<void> => {
  const key = shardKey(prefix);
  await onStale?.();
  await Promise.all(shards.map((shard) => viewStaleScript(redis, [key(shard, 'watch')], [era])));
};

/** Whether every shard is complete on this server, since it is a primary. A release that knew no eras has marked the server alone. */
const isComplete = async (options: ViewOptions, server: string): Promise<boolean> => {
  const { redis, prefix, log } = options;
  const key = shardKey(prefix);
  const era = await eraOf(redis);
  const read = (shard: string) => redis.hmget(key(shard, 'watch'), 'view', 'era');
  const marks = (await Promise.all(shards.map(read))).filter(([view]) => view === server);
  if (marks.some(([, of]) => of !== null && of !== era)) {
    log.warn({}, 'Redis was a primary before, and has data of that time: the view is rebuilt');
    await distrust(options, era);
    return false;
  }
  if (marks.length < shards.length) return false;
  if (marks.some(([, of]) => of === null))
    await Promise.all(shards.map((shard) => redis.hsetnx(key(shard, 'watch'), 'era', era)));
  return true;
};

const markComplete = async (
  { redis, prefix }: ViewOptions,
  server: string,
  windowMs: number,
): Promise<void> => {
  const key = shardKey(prefix);
  const era = await eraOf(redis);
  const inShard = (shard: string) =>
    viewCompleteScript(redis, [key(shard, 'watch')], [server, windowMs, era]);
  await Promise.all(shards.map(inShard));
};

/** Stands for as long as the log is followed after a rebuild: who comes meanwhile cannot know whether those who follow it live. */
const followedName = (prefix: string, server: string): string => `${prefix}:followed:${server}`;
const workName = (prefix: string, server: string): string => `${prefix}:rebuild:${server}`;

const countLive = async ({ redis, prefix, live }: ViewOptions): Promise<number> => {
  const key = shardKey(prefix);
  const counts = await Promise.all(shards.map((shard) => redis.zcard(key(shard, live))));
  return counts.reduce((sum, count) => sum + count, 0);
};

/** The replicas rebuild together, and one of them declares the view complete. */
const rebuildOn = async (options: ViewOptions, server: string, signal: AbortSignal): Promise<Rebuilt> => {
  const { redis, prefix, instance, rebuild, amnestyMs, log, metrics } = options;
  const started = performance.now();
  const name = workName(prefix, server);
  const shared = createSharedWork({ redis, name, instance, signal });
  const rebuilt = await rebuild(signal, shared);
  const parts = await redis.hlen(name);
  // What others wrote meanwhile, who had not noticed the loss yet.
  await rebuilt.follow(signal);
  const count = await countLive(options);
  await shared.each(['complete'], async () => {
    if ((await redis.hlen(name)) < parts) throw new Error('Redis was emptied while the view was rebuilt');
    await markComplete(options, server, count > 0 ? amnestyMs : 0);
    await redis.set(followedName(prefix, server), instance, 'PX', followedMs);
    return {};
  });
  const seconds = (performance.now() - started) / 1000;
  metrics.gauge('gsb_view_rebuild_duration_seconds').set(seconds);
  metrics.counter('gsb_view_rebuilds_total').inc();
  metrics.gauge('gsb_view_rebuild_records').set(count);
  const fields = { count, durationMs: Math.round(seconds * 1000) };
  if (count > 0) log.warn(fields, operatorNotices.viewRebuilt);
  return rebuilt;
};

const isFollowed = ({ redis, prefix }: ViewOptions, server: string): Promise<boolean> =>
  redis.exists(followedName(prefix, server)).then(
    (count) => count === 1,
    () => true,
  );

/** What a view that was lost without its server left of an earlier rebuild would make this one look finished. */
const forgetEarlier = async ({ redis, prefix }: ViewOptions, server: string): Promise<void> => {
  const name = workName(prefix, server);
  if ((await redis.hexists(name, 'complete')) === 1) await redis.del(name);
};

/**
 * The others have rebuilt the view already. This replica has worked on the server of before until now, where the network was split: what it
 * acknowledged there meanwhile is on the log alone. Or it has just started, and those who rebuilt may have died before they had followed.
 */
const catchUp = async (
  { redis, prefix, instance, rebuild, log }: ViewOptions,
  { server, signal }: Connected,
  onRebuilt: (rebuilt: Rebuilt, server: string) => void,
): Promise<void> => {
  const name = `${workName(prefix, server)}:${instance}`;
  try {
    await redis.del(name);
    onRebuilt(await rebuild(signal, createSharedWork({ redis, name, instance, signal })), server);
  } catch (error) {
    log.warn({ error }, 'what was stored on the server of before could not be read from the log');
  }
};

/** Who hears that it is known what the server has, and that it was rebuilt. */
interface Followers {
  readonly onAsked: () => void;
  readonly onRebuilt: (rebuilt: Rebuilt, server: string) => void;
}

/** Resolves to whether the view was found complete on this server. */
const rebuildOnce = async (
  options: ViewOptions,
  { server, signal }: Connected,
  { onAsked, onRebuilt }: Followers,
): Promise<boolean> => {
  try {
    const complete = await isComplete(options, server);
    onAsked();
    if (complete) return true;
    await forgetEarlier(options, server);
    onRebuilt(await rebuildOn(options, server, signal), server);
  } catch (error) {
    if (!signal.aborted) options.log.warn({ error }, 'the hot view could not be rebuilt; trying again');
  }
  return false;
};

/** What follows a rebuild, by this replica or by others, and which server this one has trusted last. */
const createAftermath = (
  options: ViewOptions,
  during: { readonly connected: () => Connected | undefined; readonly stopped: AbortSignal },
) => {
  let work = Promise.resolve();
  let trusted: string | undefined;
  const onRebuilt = (rebuilt: Rebuilt, server: string): void => {
    trusted = server;
    work = followRebuild({ rebuilt, server, ...during, log: options.log });
  };
  return {
    onRebuilt,
    onComplete: async (now: Connected): Promise<void> => {
      const before = trusted ?? now.server;
      const isNew = trusted === undefined;
      trusted = now.server;
      if (before !== now.server || (isNew && (await isFollowed(options, now.server))))
        work = catchUp(options, now, onRebuilt);
    },
    done: () => work,
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
  /** The connection of which it is known whether its server has a view of an earlier era: until then nothing is asked there. */
  let vetted: Connected | undefined;
  const after = createAftermath(options, { connected: () => watch.connected(), stopped: signal });
  const untilComplete = async (): Promise<void> => {
    for (let now = watch.connected(); now && !signal.aborted; now = watch.connected()) {
      const onAsked = () => void (vetted = now);
      const done = await rebuildOnce(options, now, { onAsked, onRebuilt: after.onRebuilt });
      if (done) await after.onComplete(now);
      else await sleep(retryPauseMs, signal);
      // Another connection may have been made meanwhile, perhaps to the same server in another era.
      if (done && watch.connected() === now) return;
    }
  };
  const check = (): Promise<void> => (rebuilding ??= untilComplete().finally(() => (rebuilding = undefined)));
  const watch = createServerWatch(options, signal, check);
  return {
    name: 'hot view',
    server: () => {
      const now = watch.connected();
      if (now === undefined || now !== vetted) throw unavailable();
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
      await after.done();
    },
  };
};
