import { toWire } from '#libs/contracts/wire.ts';
import { shards } from '#libs/kernel/shards.ts';
import { mergeMarksScript, mergeScript } from './record-scripts.ts';
import type { RecordStore, Versioned } from './record-types.ts';
import { guarded, stored } from './store-context.ts';
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
    const { redis, key, shardOf, idOf, ownerOf } = store;
    return inShards(
      known,
      (record) => shardOf(idOf(record)),
      (shard, batch) => {
        const records = batch.map((record) => `record:${idOf(record)}`);
        const names = ['deadlines', 'expiries', 'holders', 'contests', ...records];
        const fields = batch.flatMap((record) => {
          const { version, deadline_at_ms: deadline, live, json } = stored(store, record);
          return [idOf(record), ownerOf(record), version, deadline, live ? 1 : 0, json];
        });
        const keys = names.map((name) => key(shard, name));
        return guarded({}, () => mergeScript(redis, keys, fields));
      },
    );
  };

/** The contests of a shard that are settled now; more may be noted meanwhile. */
interface Contests<R> {
  readonly shard: string;
  readonly ids: readonly string[];
  readonly records: readonly R[];
}

const contestsIn = async <R>({ redis, key, parse }: Store<R>, shard: string): Promise<Contests<R>> => {
  const ids = await redis.smembers(key(shard, 'contests'));
  const found = await Promise.all(ids.map((id) => redis.hget(key(shard, `record:${id}`), 'json')));
  return { shard, ids, records: found.flatMap((json) => (json === null ? [] : [parse(JSON.parse(json))])) };
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
          const keys = ['marks', 'marked'].map((name) => key(shard, name));
          return guarded({}, () => mergeMarksScript(redis, keys, [JSON.stringify(toWire(batch))]));
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
