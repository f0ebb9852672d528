import { randomInt } from 'node:crypto';
import { unavailable } from '#libs/contracts/errors.ts';
import { shards } from '#libs/kernel/shards.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { Log } from '#libs/runtime/log.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep, withDeadline } from '#libs/runtime/wait.ts';
import { createAftermath, followedName, workName } from './aftermath.ts';
import { followedMs } from './follow-rebuild.ts';
import type { Rebuild, Rebuilt } from './follow-rebuild.ts';
import type { TrustedServer } from './record-types.ts';
import { shardKey } from './shard-key.ts';
import { createServerWatch, replicationOf } from './server-watch.ts';
import type { Connected } from './server-watch.ts';
import { createSharedWork } from './shared-work.ts';
import { isBuilding, isComplete, markBuilding, markComplete } from './view-marks.ts';
import type { ViewRebuild } from './view-marks.ts';

const retryPauseMs = 200;
const startWaitMs = 10_000;

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
  /** What an operator is told of a rebuild; without it that the view came from the log. */
  readonly notice?: string;
  /** Called before a view of an earlier time of this server is lost, while nobody trusts it. */
  readonly onStale?: () => Promise<unknown>;
  readonly log: Log;
  readonly metrics: Metrics;
}

const rebuildIds = 2 ** 48 - 1;

/**
 * Joins the rebuild that is under way on a server since its last promotion, or begins one. What was done in one of which a shard has been
 * emptied since counts no more: the next one follows it.
 */
const joinRebuild = async (options: ViewOptions, { server, signal }: Connected): Promise<ViewRebuild> => {
  const { redis, prefix, instance } = options;
  const { promotion } = await replicationOf(redis);
  const name = `${workName(prefix, server)}:${promotion}`;
  const rebuilds = createSharedWork({ redis, name, instance, signal });
  const begin = async () => {
    const id = randomInt(rebuildIds);
    await markBuilding(options, { id });
    return { id };
  };
  for (let next = 'first'; ;) {
    const { id = 0 } = (await rebuilds.each([next], begin)).get(next) ?? {};
    const rebuild = { id, server, promotion };
    if (await isBuilding(options, rebuild)) return rebuild;
    next = `after ${id}`;
  }
};

const countLive = async ({ redis, prefix, live }: ViewOptions): Promise<number> => {
  const key = shardKey(prefix);
  const counts = await Promise.all(shards.map((shard) => redis.zcard(key(shard, live))));
  return counts.reduce((sum, count) => sum + count, 0);
};

/** The replicas rebuild together, and one of them declares the view complete. An empty view is no news to a replica that `isNew`: so is every first one. */
const rebuildOn = async (
  options: ViewOptions,
  { server, signal }: Connected,
  isNew: boolean,
): Promise<Rebuilt> => {
  const { redis, prefix, instance, amnestyMs, log, metrics } = options;
  const started = performance.now();
  const rebuild = await joinRebuild(options, { server, signal });
  const name = `${workName(prefix, server)}:${rebuild.id}`;
  const shared = createSharedWork({ redis, name, instance, signal });
  const rebuilt = await options.rebuild(signal, shared);
  // What others wrote meanwhile, who had not noticed the loss yet.
  await rebuilt.follow(signal);
  const count = await countLive(options);
  await shared.each(['complete'], async () => {
    await markComplete(options, rebuild, count > 0 ? amnestyMs : 0);
    await redis.set(followedName(prefix, server), instance, 'PX', followedMs);
    return {};
  });
  const seconds = (performance.now() - started) / 1000;
  metrics.gauge('gsb_view_rebuild_duration_seconds').set(seconds);
  metrics.counter('gsb_view_rebuilds_total').inc();
  metrics.gauge('gsb_view_rebuild_records').set(count);
  const fields = { count, durationMs: Math.round(seconds * 1000) };
  if (count > 0 || !isNew) log.warn(fields, options.notice ?? operatorNotices.viewRebuilt);
  return rebuilt;
};

/** Who hears that it is known what the server has, and that it was rebuilt. */
interface Followers {
  readonly isNew: () => boolean;
  readonly onAsked: () => void;
  readonly onRebuilt: (rebuilt: Rebuilt, server: string) => void;
}

/** Resolves to whether the view was found complete on this server. */
const rebuildOnce = async (
  options: ViewOptions,
  { server, signal }: Connected,
  { isNew, onAsked, onRebuilt }: Followers,
): Promise<boolean> => {
  try {
    const complete = await isComplete(options, server);
    onAsked();
    if (complete) return true;
    onRebuilt(await rebuildOn(options, { server, signal }, isNew()), server);
  } catch (error) {
    if (!signal.aborted) options.log.warn({ error }, 'the hot view could not be rebuilt; trying again');
  }
  return false;
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
      const done = await rebuildOnce(options, now, { ...after, onAsked });
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
