import { z } from 'zod';
import { toWire } from '#libs/contracts/wire.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import { shards } from '#libs/kernel/shards.ts';
import {
  commitScript,
  dueScript,
  markScript,
  mergeScript,
  readScript,
  suspendExpiriesScript,
} from './record-scripts.ts';
import type { LoggedRecord, RecordStore, RecordStoreOptions, Versioned } from './record-types.ts';
import { shardKey } from './shard-key.ts';
import { createUpdate } from './update-record.ts';
import type { Change } from './update-record.ts';

/** No sweep for this long was an outage of ours (D-11). */
const outageAfterMs = 30_000;
/** How long a sweep that the mass-expiry guard held back suspends expiries (D-25). */
const suspendedMs = 5_000;
const agreedMs = 600_000;
/** How many records one run of the merge script takes. */
const mergeBatchSize = 200;

/** Options of a store, with the key function of its prefix. */
interface Store<R> extends RecordStoreOptions<R> {
  readonly key: ReturnType<typeof shardKey>;
}

/** Runs a script on the trusted server; whatever Redis fails with becomes UNAVAILABLE. */
const guarded = async <T>(
  { trust }: Pick<RecordStoreOptions<never>, 'trust'>,
  work: (server: string) => Promise<T>,
): Promise<T> => {
  try {
    return await work(trust?.server() ?? '');
  } catch (error) {
    if (error instanceof z.ZodError) throw error;
    if (error instanceof Error && error.message.startsWith('UNTRUSTED')) trust?.lost();
    throw unavailable(error);
  }
};

const stored = <R extends Versioned>({ expires }: Store<R>, record: R) => ({
  version: record.version,
  json: JSON.stringify(toWire(record)),
  deadline_at_ms: record.deadlineAtMs,
  live: expires?.(record) ?? false,
});

const reading =
  <R>(store: Store<R>): RecordStore<R>['read'] =>
  (id, owner = '') =>
    guarded(store, async (server) => {
      const { redis, key, parse, shardOf, amnestyMs } = store;
      const keys = [`record:${id}`, 'holders', 'marks', 'watch'].map((name) => key(shardOf(id), name));
      const args = [owner, outageAfterMs, amnestyMs, server];
      const [nowMs, json, holder, mark, amnestyUntilMs] = await readScript(redis, keys, args);
      const record = json === '' ? undefined : parse(JSON.parse(json));
      return { nowMs, record, holder: holder || undefined, mark: mark || undefined, amnestyUntilMs };
    });

/** A change as commit.lua reads it, with the id of its record. */
const wireChange = <R extends Versioned>(store: Store<R>, { before, after, seat }: Change<R>) => {
  const either = after ?? before;
  return {
    id: either ? store.idOf(either) : '',
    owner: either ? store.ownerOf(either) : '',
    version_before: before?.version ?? 0,
    ...(after && stored(store, after)),
    ...(seat && { seat: { before: seat.before ?? '', after: seat.after ?? '' } }),
  };
};

const committing =
  <R extends Versioned>(store: Store<R>) =>
  (changes: readonly Change<R>[]): Promise<boolean> =>
    guarded(store, async (server) => {
      const { redis, key, shardOf } = store;
      const list = changes.map((change) => wireChange(store, change));
      const shard = shardOf(list[0]?.id ?? '');
      const names = ['deadlines', 'expiries', 'holders', 'watch', ...list.map(({ id }) => `record:${id}`)];
      const keys = names.map((name) => key(shard, name));
      return (await commitScript(redis, keys, [JSON.stringify(list), server])) === 'committed';
    });

/** In every shard, for a while: nothing expires (`amnesty`), or a mass expiry is agreed to (`agreed`) (D-25). */
const suspend = async <R>(
  { redis, key }: Store<R>,
  field: 'amnesty' | 'agreed',
  forMs: number,
): Promise<void> => {
  const inShard = (shard: string) => suspendExpiriesScript(redis, [key(shard, 'watch')], [forMs, field]);
  await Promise.all(shards.map(inShard));
};

const sweeping =
  <R>(store: Store<R>): RecordStore<R>['due'] =>
  (batchSize) =>
    guarded(store, async (server) => {
      const { redis, key, amnestyMs, massExpiryGuard } = store;
      const dueIn = (shard: string) => {
        const keys = ['deadlines', 'expiries', 'watch'].map((name) => key(shard, name));
        return dueScript(redis, keys, [batchSize, outageAfterMs, amnestyMs, server]);
      };
      const all = await Promise.all(shards.map(dueIn));
      const sum = (index: 0 | 1) => all.reduce((total, each) => total + each[index], 0);
      const agreed = all.every(([, , isAgreed]) => isAgreed === 1);
      const held = massExpiryGuard?.({ overdue: sum(0), live: sum(1), agreed }) ?? false;
      if (held) await suspend(store, 'amnesty', suspendedMs);
      return all.flatMap(([, , , others, expiries]) => (held ? others : [...others, ...expiries]));
    });

const restoring =
  <R extends Versioned>(store: Store<R>): RecordStore<R>['restore'] =>
  async (known) => {
    const { redis, key, shardOf, idOf, ownerOf } = store;
    const mergeIn = (shard: string, batch: readonly LoggedRecord<R>[]) => {
      const records = batch.map(({ record }) => `record:${idOf(record)}`);
      const keys = ['deadlines', 'expiries', 'holders', 'marks', ...records].map((name) => key(shard, name));
      const list = batch.map(({ record, mark }) => ({
        ...{ id: idOf(record), owner: ownerOf(record), mark },
        ...stored(store, record),
      }));
      return guarded({}, () => mergeScript(redis, keys, [JSON.stringify(list)]));
    };
    const merged = [...Map.groupBy(known, ({ record }) => shardOf(idOf(record)))].map(
      async ([shard, all]) => {
        let newer = 0;
        for (let at = 0; at < all.length; at += mergeBatchSize)
          newer += await mergeIn(shard, all.slice(at, at + mergeBatchSize));
        return newer;
      },
    );
    return (await Promise.all(merged)).reduce((sum, each) => sum + each, 0);
  };

/** Records of one kind in Redis. */
export const createRecordStore = <R extends Versioned>(options: RecordStoreOptions<R>): RecordStore<R> => {
  const store: Store<R> = { ...options, key: shardKey(options.prefix) };
  const { redis, key, shardOfOwner, amnestyMs, idOf, holdsSeat } = store;
  const read = reading(store);
  return {
    read,
    update: createUpdate({ idOf, read, commit: committing(store), ...(holdsSeat && { holdsSeat }) }),
    due: sweeping(store),
    restore: restoring(store),
    agree: () => guarded(store, () => suspend(store, 'agreed', agreedMs)),
    holderOf: (owner) =>
      guarded(store, async (server) => {
        const keys = ['record:', 'holders', 'marks', 'watch'].map((name) => key(shardOfOwner(owner), name));
        const [, , holder] = await readScript(redis, keys, [owner, outageAfterMs, amnestyMs, server]);
        return holder || undefined;
      }),
    mark: (owner, mark = '') =>
      guarded(store, async (server) => {
        const keys = ['marks', 'watch'].map((name) => key(shardOfOwner(owner), name));
        await markScript(redis, keys, [owner, mark, server]);
      }),
  };
};
