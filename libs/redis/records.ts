import type { Redis } from 'ioredis';
import { z } from 'zod';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import { shards } from '#libs/kernel/shards.ts';
import { loadScript } from './script.ts';

/** Nobody swept for this long: that was an outage of ours (D-11). */
const awayAfterMs = 30_000;

const file = (name: string) => new URL(name, import.meta.url);
const readScript = loadScript({
  file: file('./read.lua'),
  keys: ['record', 'holders', 'marks', 'watch'],
  args: ['owner', 'away_after_ms', 'window_ms'],
  answer: z.tuple([z.number(), z.string(), z.string(), z.string(), z.number()]),
});
const commitScript = loadScript({
  file: file('./commit.lua'),
  keys: ['deadlines', 'holders', 'records...'],
  args: ['changes'],
  answer: z.enum(['committed', 'conflict']),
});
const dueScript = loadScript({
  file: file('./due.lua'),
  keys: ['deadlines', 'watch'],
  args: ['bite', 'away_after_ms', 'window_ms'],
  answer: z.array(z.string()),
});

/** What every stored record has: a version that only grows, and the one instant at which it is next looked at. */
export interface Versioned {
  readonly version: number;
  readonly deadlineAtMs: number;
}

/** What one look at the store tells, all at the same instant of Redis' own clock. */
export interface Look<R> {
  readonly nowMs: number;
  readonly record: R | undefined;
  /** The id of the record that holds the owner's seat. */
  readonly holder: string | undefined;
  readonly mark: string | undefined;
  /** Until when nothing expires because we were away, in ms since the epoch; in the past or 0: no amnesty (D-11). */
  readonly amnestyUntilMs: number;
}

/** One change of a commit. `after` absent: the record is forgotten. `seat`: the holder that was seen, and who holds it from now on. */
export interface Change<R> {
  readonly id: string;
  readonly owner: string;
  readonly before: R | undefined;
  readonly after: R | undefined;
  readonly seat?: { readonly before: string | undefined; readonly after: string | undefined };
}

/** Versioned records with one deadline each, in shards (architecture, idea B). Every method throws UNAVAILABLE when Redis is away. */
export interface Records<R> {
  look(id: string, owner?: string): Promise<Look<R>>;
  /** All or nothing; false: somebody else was faster. All ids must share a shard. */
  commit(changes: readonly Change<R>[]): Promise<boolean>;
  /** Ids whose deadline has passed, at most `bite` of each shard. */
  due(bite: number): Promise<string[]>;
  /** Who holds the owner's seat. */
  holderOf(owner: string): Promise<string | undefined>;
  mark(owner: string, mark: string | undefined): Promise<void>;
}

interface RecordsOptions<S extends z.ZodType> {
  readonly redis: Redis;
  readonly prefix: string;
  readonly schema: S;
  readonly shardOf: (id: string) => string;
  readonly shardOfOwner: (owner: string) => string;
  /** How long an amnesty lasts after an outage of ours, in ms (D-11). */
  readonly amnestyMs: number;
}

const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof z.ZodError) throw error;
    throw unavailable(error);
  }
};

const wireChange = <R extends Versioned>({ id, owner, before, after, seat }: Change<R>) => ({
  id,
  owner,
  version_before: before?.version ?? 0,
  ...(after && {
    version: after.version,
    json: JSON.stringify(toWire(after)),
    deadline_at_ms: after.deadlineAtMs,
  }),
  ...(seat && { seat: { before: seat.before ?? '', after: seat.after ?? '' } }),
});

type Keys = (shard: string, name: string) => string;

const looking =
  <S extends z.ZodType, R>(
    { redis, schema, shardOf, amnestyMs }: RecordsOptions<S>,
    key: Keys,
  ): Records<R>['look'] =>
  (id, owner = '') =>
    guarded(async () => {
      const shard = shardOf(id);
      const keys = [
        key(shard, `record:${id}`),
        key(shard, 'holders'),
        key(shard, 'marks'),
        key(shard, 'watch'),
      ];
      const args = [owner, awayAfterMs, amnestyMs];
      const [nowMs, json, holder, mark, amnestyUntilMs] = await readScript(redis, keys, args);
      const record = json === '' ? undefined : (fromWire(schema, JSON.parse(json)) as R);
      return { nowMs, record, holder: holder || undefined, mark: mark || undefined, amnestyUntilMs };
    });

const committing =
  <S extends z.ZodType, R extends Versioned>(
    { redis, shardOf }: RecordsOptions<S>,
    key: Keys,
  ): Records<R>['commit'] =>
  (changes) =>
    guarded(async () => {
      const shard = shardOf(changes[0]?.id ?? '');
      const recordKeys = changes.map(({ id }) => key(shard, `record:${id}`));
      const keys = [key(shard, 'deadlines'), key(shard, 'holders'), ...recordKeys];
      return (await commitScript(redis, keys, [JSON.stringify(changes.map(wireChange))])) === 'committed';
    });

/** Records of one kind under a key prefix. `shardOf` maps an id, `shardOfOwner` an owner, to a shard; a record and its owner share one. */
export const redisRecords = <S extends z.ZodType>(
  options: RecordsOptions<S>,
): Camel<z.output<S>> extends Versioned ? Records<Camel<z.output<S>>> : never => {
  type R = Camel<z.output<S>> & Versioned;
  const { redis, prefix, shardOfOwner, amnestyMs } = options;
  const key: Keys = (shard, name) => `${prefix}:{${shard}}:${name}`;
  const records: Records<R> = {
    look: looking<S, R>(options, key),
    commit: committing<S, R>(options, key),
    due: (bite) =>
      guarded(async () => {
        const dueIn = (shard: string) =>
          dueScript(redis, [key(shard, 'deadlines'), key(shard, 'watch')], [bite, awayAfterMs, amnestyMs]);
        return (await Promise.all(shards.map(dueIn))).flat();
      }),
    holderOf: (owner) =>
      guarded(async () => (await redis.hget(key(shardOfOwner(owner), 'holders'), owner)) ?? undefined),
    mark: (owner, mark) =>
      guarded(async () => {
        const marks = key(shardOfOwner(owner), 'marks');
        await (mark === undefined ? redis.hdel(marks, owner) : redis.hset(marks, owner, mark));
      }),
  };
  return records as never;
};
