import type { Redis } from '#libs/redis/connection.ts';
import { z } from 'zod';
import { shards } from '#libs/kernel/shards.ts';
import { loadScript } from '#libs/redis/script.ts';
import type { Log } from '#libs/runtime/log.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import type { Component } from '#libs/runtime/service.ts';
import { shardKey } from './shard-key.ts';

/** Few enough that Redis answers others between two pages. */
const pageSize = 100;
/** A tally takes at most a hundredth of the time: the pause after it is this many times as long as it took, and never shorter than 5 s. */
const pauseFactor = 99;
const shortestPauseMs = 5_000;
/** A replica that has not told a tally within this time has died over it. */
const leaseMs = 60_000;
/** How often a replica looks whether there is a new one. */
const lookEveryMs = 2_000;

const tallyScript = loadScript({
  file: new URL('./tally.lua', import.meta.url),
  keys: ['records...'],
  args: ['names...'],
  answer: z.array(z.union([z.string(), z.number()])),
});

/** How many records have these values of the fields that were asked for. */
export interface Tallied {
  readonly values: readonly string[];
  readonly count: number;
}

interface TallyOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** The sets of deadlines whose records are counted. */
  readonly sets: readonly ('expiries' | 'deadlines')[];
  /** Text fields of the records: their names in packed ones, and in JSON, and what packed ones leave out, if anything. */
  readonly fields: readonly (readonly [packed: string, wire: string, usual: string])[];
  readonly told: (tally: readonly Tallied[]) => void;
  readonly log: Log;
}

const stored = z.array(z.tuple([z.string(), z.number()]));

/** One page of a set: the cursor of the next one, and its ids. A heartbeat moves a record within its set; a scan by cursor meets it nevertheless. */
const pageOf = async (redis: Redis, set: string, cursor: string) => {
  const [next, found] = await redis.zscan(set, cursor, 'COUNT', pageSize);
  return { next, ids: found.filter((_, index) => index % 2 === 0) };
};

const addSet = async (
  { redis, fields }: TallyOptions,
  { set, record, sums }: { set: string; record: (id: string) => string; sums: Map<string, number> },
): Promise<void> => {
  let cursor = '0';
  do {
    const { next, ids } = await pageOf(redis, set, cursor);
    cursor = next;
    const answer = ids.length === 0 ? [] : await tallyScript(redis, ids.map(record), fields.flat());
    for (let at = 0; at < answer.length; at += 2)
      sums.set(String(answer[at]), (sums.get(String(answer[at])) ?? 0) + Number(answer[at + 1]));
  } while (cursor !== '0');
};

const countAll = async (options: TallyOptions): Promise<[string, number][]> => {
  const key = shardKey(options.prefix);
  const sums = new Map<string, number>();
  for (const shard of shards)
    for (const name of options.sets)
      await addSet(options, { set: key(shard, name), record: (id) => key(shard, `record:${id}`), sums });
  return [...sums];
};

/**
 * Counts the records of one kind by some of their fields, again and again: one replica at a time counts, and all tell what it found. Records
 * that come or go meanwhile may be missing, or counted twice.
 */
export const createTally = (options: TallyOptions): Component => {
  const { redis, prefix, told, log } = options;
  const key = shardKey(prefix);
  const [result, lease] = [key('0', 'tally'), key('0', 'tally-lease')];
  const countInTurn = async (): Promise<string | undefined> => {
    if ((await redis.set(lease, '1', 'PX', leaseMs, 'NX')) === null) return undefined;
    const started = performance.now();
    const text = JSON.stringify(await countAll(options));
    const pauseMs = Math.max(shortestPauseMs, Math.ceil((performance.now() - started) * pauseFactor));
    await redis.set(result, text, 'PX', pauseMs);
    await redis.del(lease);
    return text;
  };
  let nextLook = 0;
  const run = async (): Promise<number> => {
    // The sweeper says that Redis is away.
    if (performance.now() < nextLook || redis.status !== 'ready') return 0;
    nextLook = performance.now() + lookEveryMs;
    const text = (await redis.get(result)) ?? (await countInTurn());
    if (text === undefined) return 0;
    told(stored.parse(JSON.parse(text)).map(([values, count]) => ({ values: values.split(' '), count })));
    return 0;
  };
  return createPeriodicTask({ name: 'tally', run, log });
};
