import { intervalMs } from '#libs/kernel/rate.ts';
import { inOneCall } from '#libs/runtime/in-one-call.ts';
import { commitScript } from './record-scripts.ts';
import type { Versioned } from './record-types.ts';
import type { ServerClocks } from './server-clock.ts';
import { guarded, mostAtOnce, stored, unreadable } from './store-context.ts';
import type { Store } from './store-context.ts';
import type { Change, UpdateOptions } from './update-record.ts';

/** A change as commit.lua reads it, with the id of its record. */
const wireChange = <R extends Versioned>(store: Store<R>, change: Change<R>) => {
  const { before, after, seat, limit, supposedAtMs } = change;
  const either = after ?? before;
  return {
    ...(either && { id: store.idOf(either), owner: store.ownerOf(either) }),
    version_before: before?.version ?? 0,
    ...(after && stored(store, after)),
    ...(seat && { seat: { before: seat.before ?? '', after: seat.after ?? '' } }),
    ...(limit && { limit: { burst: limit.burst, interval_ms: intervalMs(limit), at_ms: limit.atMs } }),
    ...(supposedAtMs !== undefined && { supposed_at_ms: supposedAtMs }),
  };
};

/** The commits of a record store: those of one tick share one run of the script in each shard, and none depends on another. What the servers' clocks say is learnt by them. */
export const createCommits = <R extends Versioned>(
  store: Store<R>,
  clocks: Pick<ServerClocks, 'learn'>,
): UpdateOptions<R>['commit'] => {
  const { redis, key, shardOf } = store;
  type Commit = ReturnType<typeof wireChange<R>>[];
  type Answer = readonly [nowMs: number, Awaited<ReturnType<typeof commitScript>>[1][number]];
  const commitAll = inOneCall<Commit, Answer>(
    mostAtOnce,
    (shard, commits) =>
      guarded(store, async (server) => {
        const records = commits.flat().map(({ id }) => `record:${id}`);
        const keys = ['deadlines', 'expiries', 'holders', 'watch', ...records].map((name) =>
          key(shard, name),
        );
        const [nowMs, answers] = await commitScript(redis, keys, [JSON.stringify(commits), server]);
        clocks.learn(shard, nowMs);
        return answers.map((answer) => [nowMs, answer] as const);
      }),
    'tick',
  );
  return async (changes) => {
    const commit = changes.map((change) => wireChange(store, change));
    const [nowMs, answer] = await commitAll(shardOf(commit[0]?.id ?? ''), commit);
    if (answer === 'unreadable') throw unreadable();
    return { nowMs, committed: typeof answer === 'number' ? answer : answer === 'committed' };
  };
};
