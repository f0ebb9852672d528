import { shards } from '#libs/kernel/shards.ts';
import { createCommits } from './commit-changes.ts';
import { lateMs, suspendsMs } from './mass-expiry-guard.ts';
import type { Overdue, Windows } from './mass-expiry-guard.ts';
import { createReads } from './read-records.ts';
import { dueScript, markScript, postponeScript, releaseExpiryScript } from './record-scripts.ts';
import type { RecordStore, RecordStoreOptions, Versioned } from './record-types.ts';
import { createRestore } from './restore.ts';
import { createServerClocks } from './server-clock.ts';
import { shardKey } from './shard-key.ts';
import { guarded, outageAfterMs } from './store-context.ts';
import type { Store } from './store-context.ts';
import { suspendExpiries } from './suspend-expiries.ts';
import { createUpdate } from './update-record.ts';

/** The pause between two expiries of a shard that were held back, in ms: fifty a second, all shards together (D-25). */
const releasePauseMs = 320;
/** When a record that could not be handled is due again, in ms. */
const postponedMs = 60_000;
/** How long an owner's mark is kept: no record that it concerns lives a day without being read. */
const markKeptMs = 86_400_000;

/** One of each shard's expiries that were held back, at a rate that all replicas share. */
const released = async <R>(
  { redis, key }: Store<R>,
  expiries: readonly (readonly string[])[],
): Promise<string[][]> => {
  const first = async (shard: string, index: number): Promise<string[]> => {
    const [id] = expiries[index] ?? [];
    if (id === undefined) return [];
    const turn = await releaseExpiryScript(redis, [key(shard, 'watch')], [releasePauseMs]);
    return turn === 'go' ? [id] : [];
  };
  return Promise.all(shards.map(first));
};

const forgetHold = async <R>({ redis, key }: Store<R>): Promise<void> => {
  await Promise.all(shards.map((shard) => redis.hdel(key(shard, 'watch'), 'held')));
};

type Due = Awaited<ReturnType<typeof dueScript>>;

/** What the mass-expiry guard judges by: all shards together, held back since the last of them was. */
const seenIn = (all: readonly Due[], windows: Windows): Overdue => {
  const sum = (index: 0 | 1 | 2) => all.reduce((total, each) => total + each[index], 0);
  const agreed = all.every(([, , , isAgreed]) => isAgreed === 1);
  const heldMs = Math.min(...all.map((each) => each[4]));
  const suspendedMs = Math.max(...all.map((each) => each[5]));
  return { overdue: sum(0), late: sum(1), live: sum(2), agreed, heldMs, suspendedMs, ...windows };
};

const postponing =
  <R>(store: Store<R>): RecordStore<R>['postpone'] =>
  (id) =>
    guarded(store, async () => {
      const { redis, key, shardOf } = store;
      const keys = ['deadlines', 'expiries', `record:${id}`].map((name) => key(shardOf(id), name));
      return postponeScript(redis, keys, [id, postponedMs]);
    });

const sweeping =
  <R>(store: Store<R>): RecordStore<R>['due'] =>
  (batchSize, agreedBatchSize = batchSize) =>
    guarded(store, async (server) => {
      const { redis, key, amnestyMs, heartbeatMs, massExpiryGuard } = store;
      const windows = { windowMs: amnestyMs, heartbeatMs };
      const dueIn = (shard: string) => {
        const keys = ['deadlines', 'expiries', 'watch'].map((name) => key(shard, name));
        const times = [outageAfterMs, amnestyMs, lateMs(windows)];
        return dueScript(redis, keys, [batchSize, agreedBatchSize, ...times, server]);
      };
      const all = await Promise.all(shards.map(dueIn));
      const expiries = all.map((each) => each[7]);
      const seen = seenIn(all, windows);
      const state = massExpiryGuard?.(seen) ?? 'open';
      const suspended = state === 'holds' ? suspendsMs(seen) : 0;
      if (suspended > 0) await suspendExpiries(store, 'suspended', suspended);
      if (state === 'open' && all.some((each) => each[4] >= 0)) await forgetHold(store);
      const due = { open: () => expiries, holds: () => [], releases: () => released(store, expiries) };
      // An end that is published again would stand in line behind the ends of those who expire now.
      const waits = ([expiring]: Due): boolean => seen.agreed && expiring > batchSize;
      const others = all.flatMap((each) => (waits(each) ? [] : each[6]));
      return [...others, ...(await due[state]()).flat()];
    });

/** Records of one kind in Redis. */
export const createRecordStore = <R extends Versioned>(options: RecordStoreOptions<R>): RecordStore<R> => {
  const store: Store<R> = { ...options, key: shardKey(options.prefix) };
  const { redis, key, shardOf, shardOfOwner, idOf, holdsSeat } = store;
  const clocks = createServerClocks();
  const { read, holderOf } = createReads(store, clocks);
  const supposedNowMs = (id: string) => clocks.earliestAt(shardOf(id));
  const commit = createCommits(store, clocks);
  return {
    read,
    update: createUpdate({ idOf, read, supposedNowMs, commit, ...(holdsSeat && { holdsSeat }) }),
    due: sweeping(store),
    postpone: postponing(store),
    ...createRestore(store),
    holderOf,
    mark: (owner, mark, atMs, { ofHolder = false } = {}) =>
      guarded(store, async (server) => {
        const keys = ['marks', 'marked', 'holders', 'watch'].map((name) => key(shardOfOwner(owner), name));
        await markScript(redis, keys, [owner, mark, atMs, markKeptMs, ofHolder ? 1 : 0, server]);
      }),
  };
};
