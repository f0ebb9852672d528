import { toWire } from '#libs/contracts/wire.ts';
import { shards } from '#libs/kernel/shards.ts';
import { mergeMarksScript, mergeScript } from './record-scripts.ts';
import type { RecordStore, Versioned } from './record-types.ts';
import { guarded, recordOf, stored } from './store-context.ts';
import type { Store } from './store-context.ts';

/** How many changes one run of a script takes. */
const batchSize = 200;
const maxRounds = 5;

/** Runs a script for each shard's changes, in batches, one after another in each shard. */
const inShards = async <T>(
  changes: readonly T[],
  shardOf: (change: T) => string,
  run: (shard: string, batch: readonly T[]) => Promise<unknown>,
): Promise<void> => {
  const each = [...Map.groupBy(changes, shardOf)].map(async ([shard, all]) => {
    for (let at = 0; at < all.length; at += batchSize) await run(shard, all.slice(at, at + batchSize));
  });
  await Promise.all(each);
};

const restoring =
  <R extends Versioned>(store: Store<R>): RecordStore<R>['restore'] =>
  (known) => {
    const { redis, key, shardOf, idOf } = store;
    return inShards(
      known,
      (record) => shardOf(idOf(record)),
      (shard, batch) => {
        const records = batch.map((record) => `record:${idOf(record)}`);
        const names = ['deadlines', 'expiries', 'holders', 'contests', ...records];
        const keys = names.map((name) => key(shard, name));
        const changes = batch.map((record) => ({
          ...stored(store, record),
          stands: store.stands?.(record) ?? false,
        }));
        return guarded({}, () => mergeScript(redis, keys, [JSON.stringify(changes)]));
      },
    );
  };

/** The contests of a shard that are settled now; more may be noted meanwhile. */
interface Contests<R> {
  readonly shard: string;
  readonly ids: readonly string[];
  readonly records: readonly R[];
}

const contestsIn = async <R>(store: Store<R>, shard: string): Promise<Contests<R>> => {
  const { redis, key } = store;
  const ids = await redis.smembers(key(shard, 'contests'));
  const recordWith = async (id: string) =>
    recordOf(store, id, await redis.hgetall(key(shard, `record:${id}`)));
  const found = await Promise.all(ids.map(recordWith));
  return { shard, ids, records: found.filter((record) => record !== undefined) };
};

/** What a rebuild of the view writes, whether or not the view is trusted (D-24). */
export const createRestore = <R extends Versioned>(
  store: Store<R>,
): Pick<RecordStore<R>, 'restore' | 'restoreMarks' | 'settleContests'> => {
  const { redis, key, shardOfOwner, expires } = store;
  const restore = restoring(store);
  return {
    restore,
    restoreMarks: (marks) =>
      inShards(
        marks,
        ({ owner }) => shardOfOwner(owner),
        (shard, batch) => {
          const changes = JSON.stringify(toWire(batch));
          return guarded({}, () => mergeMarksScript(redis, [key(shard, 'marks')], [changes]));
        },
      ),
    settleContests: (settle) =>
      guarded({}, async () => {
        // A contender may change while it is settled: it is looked at again, until nothing is left to settle.
        for (let round = 0; round < maxRounds; round += 1) {
          const all = await Promise.all(shards.map((shard) => contestsIn(store, shard)));
          const contests = all.filter(({ ids }) => ids.length > 0);
          const contested = contests.flatMap(({ records }) => records);
          const settled = settle(contested);
          // Who leaves the seat comes first, so that it is free for who has it now.
          await restore(settled.filter((record) => expires?.(record) !== true));
          await restore(settled.filter((record) => expires?.(record) === true));
          if (settled.some((record, at) => record !== contested[at])) continue;
          await Promise.all(contests.map(({ shard, ids }) => redis.srem(key(shard, 'contests'), ...ids)));
          return;
        }
      }),
  };
};
