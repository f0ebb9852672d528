import { shards } from '#libs/kernel/shards.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { Log } from '#libs/runtime/log.ts';
import { viewCompleteScript, viewStaleScript } from './record-scripts.ts';
import { replicationOf } from './server-watch.ts';
import { shardKey } from './shard-key.ts';

/** A view in Redis, whose shards each say what they are: being rebuilt, or complete on a server. */
interface Shards {
  readonly redis: Redis;
  readonly prefix: string;
}

interface View extends Shards {
  /** Called before a view of an earlier time of this server is lost, while nobody trusts it. */
  readonly onStale?: () => Promise<unknown>;
  readonly log: Log;
}

const inEachShard = <T>({ redis, prefix }: Shards, ask: (redis: Redis, watch: string) => Promise<T>) => {
  const key = shardKey(prefix);
  return Promise.all(shards.map((shard) => ask(redis, key(shard, 'watch'))));
};

/** What is marked as complete on this server was so when it was a primary before: nobody may trust it any more. */
const distrust = async (view: View, era: string): Promise<void> => {
  await view.onStale?.();
  await inEachShard(view, (redis, watch) => viewStaleScript(redis, [watch], [era]));
};

/** Whether every shard is complete on this server, since it is a primary. A release that knew no eras has marked the server alone. */
export const isComplete = async (view: View, server: string): Promise<boolean> => {
  const { era } = await replicationOf(view.redis);
  const read = await inEachShard(view, (redis, watch) => redis.hmget(watch, 'view', 'era'));
  const marks = read.filter(([on]) => on === server);
  if (marks.some(([, of]) => of !== null && of !== era)) {
    view.log.warn({}, 'Redis was a primary before, and has data of that time: the view is rebuilt');
    await distrust(view, era);
    return false;
  }
  if (marks.length < shards.length) return false;
  if (marks.some(([, of]) => of === null))
    await inEachShard(view, (redis, watch) => redis.hsetnx(watch, 'era', era));
  return true;
};

/** A rebuild of a view, which is done again from its beginning where a shard is emptied meanwhile. */
export interface ViewRebuild {
  /** A number of its own. */
  readonly id: number;
  readonly server: string;
  /** Which promotion of the server it is on (`Replication`). */
  readonly promotion: string;
}

const markOf = ({ id }: Pick<ViewRebuild, 'id'>): string => `building:${id}`;

/** Marks every shard with the rebuild that begins: one that is emptied from now on has the mark no more, and is not completed by it. */
export const markBuilding = async (view: Shards, rebuild: Pick<ViewRebuild, 'id'>): Promise<void> => {
  await inEachShard(view, (redis, watch) => redis.hset(watch, markOf(rebuild), 1));
};

/** Whether no shard has been emptied since a rebuild began: each has its mark, or is complete already. */
export const isBuilding = async (view: Shards, rebuild: ViewRebuild): Promise<boolean> => {
  const marks = await inEachShard(view, (redis, watch) => redis.hmget(watch, markOf(rebuild), 'view'));
  return marks.every(([mark, on]) => mark !== null || on === rebuild.server);
};

/**
 * Marks every shard as complete; nothing expires from then on for as long as the amnesty lasts, in ms. Throws where a shard was emptied since
 * the rebuild began, where another replica has completed it in another era, and where the server was no primary meanwhile.
 */
export const markComplete = async (
  view: Shards,
  { id, server, promotion }: ViewRebuild,
  amnestyMs: number,
): Promise<void> => {
  const now = await replicationOf(view.redis);
  if (now.promotion !== promotion) throw new Error('Redis was no primary while the view was rebuilt');
  const answers = await inEachShard(view, (redis, watch) =>
    viewCompleteScript(redis, [watch], [id, server, amnestyMs, now.era]),
  );
  if (answers.includes('emptied'))
    throw new Error('Redis was emptied while the view was rebuilt, or is in another era');
};
