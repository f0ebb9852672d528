import { z } from 'zod';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import { shards } from '#libs/kernel/shards.ts';
import {
  suspendExpiriesScript,
  commitScript,
  dueScript,
  markScript,
  mergeScript,
  readScript,
} from './record-scripts.ts';
import type { Change, LoggedRecord, RecordStore, RecordStoreOptions, Versioned } from './record-types.ts';

/** Nobody swept for this long: that was an outage of ours (D-11). */
const awayAfterMs = 30_000;
/** The brake holds for this long after the last sweep that wanted it (D-25). */
const brakeMs = 5_000;
const agreedMs = 600_000;
/** So many records go into one merge. */
const mergeBite = 200;

type Options<R> = RecordStoreOptions<z.ZodType, R>;
type Key = (shard: string, name: string) => string;

/** The name of a shard's key. */
export const shardKey =
  (prefix: string): Key =>
  (shard, name) =>
    `${prefix}:{${shard}}:${name}`;

const guarded = async <T>({ trust }: Options<never>, work: (server: string) => Promise<T>): Promise<T> => {
  try {
    return await work(trust?.server() ?? '');
  } catch (error) {
    if (error instanceof z.ZodError) throw error;
    if (error instanceof Error && error.message.startsWith('NOTWHOLE')) trust?.lost();
    throw unavailable(error);
  }
};

const stored = <R extends Versioned>({ isLive }: Options<R>, record: R) => ({
  version: record.version,
  json: JSON.stringify(toWire(record)),
  deadline_at_ms: record.deadlineAtMs,
  live: isLive?.(record) ?? false,
});

const wireChange = <R extends Versioned>(
  options: Options<R>,
  { id, owner, before, after, seat }: Change<R>,
) => ({
  id,
  owner,
  version_before: before?.version ?? 0,
  ...(after && stored(options, after)),
  ...(seat && { seat: { before: seat.before ?? '', after: seat.after ?? '' } }),
});

const looking =
  <R>(options: Options<R>, key: Key): RecordStore<R>['look'] =>
  (id, owner = '') =>
    guarded(options, async (server) => {
      const { redis, schema, shardOf, amnestyMs } = options;
      const shard = shardOf(id);
      const keys = [`record:${id}`, 'holders', 'marks', 'watch'].map((name) => key(shard, name));
      const args = [owner, awayAfterMs, amnestyMs, server];
      const [nowMs, json, holder, mark, amnestyUntilMs] = await readScript(redis, keys, args);
      const record = json === '' ? undefined : (fromWire(schema, JSON.parse(json)) as R);
      return { nowMs, record, holder: holder || undefined, mark: mark || undefined, amnestyUntilMs };
    });

const committing =
  <R extends Versioned>(options: Options<R>, key: Key): RecordStore<R>['commit'] =>
  (changes) =>
    guarded(options, async (server) => {
      const { redis, shardOf } = options;
      const shard = shardOf(changes[0]?.id ?? '');
      const records = changes.map(({ id }) => `record:${id}`);
      const keys = ['deadlines', 'expiries', 'holders', 'watch', ...records].map((name) => key(shard, name));
      const list = JSON.stringify(changes.map((change) => wireChange(options, change)));
      return (await commitScript(redis, keys, [list, server])) === 'committed';
    });

/** In every shard, for a while: nothing expires, so that the late are as good as any, or many may expire at once (D-25). */
const forAWhile = async <R>(
  { redis, prefix }: Options<R>,
  field: 'amnesty' | 'agreed',
  ms: number,
): Promise<void> => {
  const key = shardKey(prefix);
  await Promise.all(shards.map((shard) => suspendExpiriesScript(redis, [key(shard, 'watch')], [ms, field])));
};

const sweeping =
  <R>(options: Options<R>, key: Key): RecordStore<R>['due'] =>
  (bite) =>
    guarded(options, async (server) => {
      const { redis, amnestyMs, brake } = options;
      const dueIn = (shard: string) => {
        const keys = ['deadlines', 'expiries', 'watch'].map((name) => key(shard, name));
        return dueScript(redis, keys, [bite, awayAfterMs, amnestyMs, server]);
      };
      const all = await Promise.all(shards.map(dueIn));
      const sum = (index: 0 | 1) => all.reduce((total, each) => total + each[index], 0);
      const agreed = all.every(([, , isAgreed]) => isAgreed === 1);
      const held = brake?.({ overdue: sum(0), live: sum(1), agreed }) ?? false;
      if (held) await forAWhile(options, 'amnesty', brakeMs);
      return all.flatMap(([, , , others, expiries]) => (held ? others : [...others, ...expiries]));
    });

const merging =
  <R extends Versioned>(options: Options<R>, key: Key): RecordStore<R>['merge'] =>
  async (known) => {
    const { redis, shardOf } = options;
    const mergeIn = (shard: string, bite: readonly LoggedRecord<R>[]) => {
      const records = bite.map(({ id }) => `record:${id}`);
      const keys = ['deadlines', 'expiries', 'holders', 'marks', ...records].map((name) => key(shard, name));
      const list = bite.map(({ record, ...rest }) => ({ ...rest, ...stored(options, record) }));
      return guarded({ ...options, trust: undefined }, () =>
        mergeScript(redis, keys, [JSON.stringify(list)]),
      );
    };
    const applied = [...Map.groupBy(known, ({ id }) => shardOf(id))].map(async ([shard, all]) => {
      let sum = 0;
      for (let at = 0; at < all.length; at += mergeBite)
        sum += await mergeIn(shard, all.slice(at, at + mergeBite));
      return sum;
    });
    return (await Promise.all(applied)).reduce((sum, each) => sum + each, 0);
  };

/** Records of one kind under a key prefix. `shardOf` maps an id, `shardOfOwner` an owner, to a shard; a record and its owner share one. */
export const createRecordStore = <S extends z.ZodType>(
  options: RecordStoreOptions<S, Camel<z.output<S>>>,
): Camel<z.output<S>> extends Versioned ? RecordStore<Camel<z.output<S>>> : never => {
  type R = Camel<z.output<S>> & Versioned;
  const own = options as unknown as Options<R>;
  const { redis, prefix, shardOfOwner, amnestyMs } = options;
  const key = shardKey(prefix);
  const records: RecordStore<R> = {
    look: looking(own, key),
    commit: committing(own, key),
    due: sweeping(own, key),
    merge: merging(own, key),
    agree: () => guarded(own, () => forAWhile(own, 'agreed', agreedMs)),
    holderOf: (owner) =>
      guarded(own, async (server) => {
        const shard = shardOfOwner(owner);
        const keys = ['record:', 'holders', 'marks', 'watch'].map((name) => key(shard, name));
        const [, , holder] = await readScript(redis, keys, [owner, awayAfterMs, amnestyMs, server]);
        return holder || undefined;
      }),
    mark: (owner, mark = '') =>
      guarded(own, async (server) => {
        const keys = ['marks', 'watch'].map((name) => key(shardOfOwner(owner), name));
        await markScript(redis, keys, [owner, mark, server]);
      }),
  };
  return records as never;
};
