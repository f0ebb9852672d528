import { Refusal } from '#libs/contracts/errors.ts';
import { shards } from '#libs/kernel/shards.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import type { Component } from '#libs/runtime/service.ts';
import { settleAll, withDeadline } from '#libs/runtime/wait.ts';
import type { RecordStore } from './record-types.ts';

/** How many due records of each shard and kind one sweep takes. */
const batchSize = 4;
/**
 * How many expiries of each shard one sweep takes while an operator agrees to a mass expiry: more and more, as long as Redis answers in time;
 * fewer at most where each is handled alone.
 */
const agreed = { more: 2, most: { together: 32, alone: 8 }, inTimeMs: 15 } as const;
/** A sweep takes nothing while so many records are in hand: most of their time they wait for the log, while the next ones can be handled. */
const mostInHand = 2_000;

/** A stop waits no longer for what is in hand: whose end is not on the log yet has a deadline (D-06). */
const stopDeadlineMs = 4_000;
const unfinished = (): Error => new Error('records were still in hand');

/** What came of handling many records together. */
export interface Handled {
  /** What is to be handled alone. */
  readonly left: readonly string[];
  /** Settles when the log has the events of the others. */
  readonly published: Promise<void>;
}

interface SweeperOptions {
  readonly records: Pick<RecordStore<never>, 'due' | 'postpone'>;
  /** Handles what of many is of the common kind. */
  readonly handleTogether?: (ids: readonly string[]) => Promise<Handled>;
  /** Acts on one record whose deadline has passed. Every replica may call it for the same record: compare-and-set lets one win. */
  readonly handle: (id: string) => Promise<void>;
  readonly log: Log;
  readonly metrics: Metrics;
}

const isAway = (error: unknown): boolean => error instanceof Refusal && error.code === 'UNAVAILABLE';

/** Batches that are being handled. */
const createInHand = () => {
  const inHand = new Map<string, Promise<void>>();
  let failed: PromiseRejectedResult | undefined;
  return {
    isFull: (): boolean => inHand.size >= mostInHand,
    without: (ids: readonly string[]): string[] => ids.filter((id) => !inHand.has(id)),
    take: (ids: readonly string[], handling: Promise<void>): void => {
      const over = Promise.allSettled([handling]).then(([outcome]) => {
        if (outcome.status === 'rejected') failed ??= outcome;
        for (const id of ids) inHand.delete(id);
      });
      for (const id of ids) inHand.set(id, over);
    },
    /** Throws what a batch has failed with since the last time. */
    throwIfFailed: (): void => {
      const first = failed;
      failed = undefined;
      if (first) throw first.reason;
    },
    idle: async (): Promise<void> => {
      await Promise.all(inHand.values());
    },
  };
};

/** Handles batches; a record that cannot be handled is postponed. Rejects when something is away. */
const handling = ({ records, handleTogether, handle, log, metrics }: SweeperOptions) => {
  const postponed = metrics.counter('gsb_sweeper_postponed_records_total');
  const told = (error: unknown): void => {
    postponed.inc();
    log.warn(
      { error },
      'a due record could not be handled; it is postponed, or removed where it does not exist',
    );
  };
  const unlessAway = (error: unknown): void => {
    if (isAway(error)) throw error;
    told(error);
  };
  const handleOne = async (id: string): Promise<void> => {
    try {
      await handle(id);
    } catch (error) {
      unlessAway(error);
      await records.postpone(id);
    }
  };
  const postponeAgain = async (id: string): Promise<void> => {
    if ((await records.postpone(id)) !== 'handled') told(undefined);
  };
  /** `again`: what was handled just before, and is due again at once. */
  return async (ids: readonly string[], again: ReadonlySet<string>): Promise<void> => {
    const { left, published } = (await handleTogether?.(ids)) ?? { left: ids, published: Promise.resolve() };
    await settleAll([published.catch(unlessAway), ...left.map(handleOne)]);
    await Promise.all(ids.filter((id) => again.has(id)).map(postponeAgain));
  };
};

/** What is due, so many at once that others are still answered in time: a slow answer means that Redis, or this process, has no time to spare. */
const createDue = ({ records: { due }, handleTogether }: SweeperOptions) => {
  const most = agreed.most[handleTogether ? 'together' : 'alone'];
  let agreedBatchSize = batchSize;
  const adapted = (found: number, tookMs: number): number => {
    if (found < shards.length * batchSize) return batchSize;
    return tookMs <= agreed.inTimeMs ? agreedBatchSize + agreed.more : Math.floor(agreedBatchSize / 2);
  };
  return async (): Promise<string[]> => {
    const askedAt = performance.now();
    let found = 0;
    try {
      const ids = await due(batchSize, agreedBatchSize);
      found = ids.length;
      return ids;
    } finally {
      const next = adapted(found, performance.now() - askedAt);
      agreedBatchSize = Math.min(most, Math.max(batchSize, next));
    }
  };
};

/**
 * Handles due records periodically, in bounded batches. There is no leader: every replica sweeps. While the events of one batch are on their way
 * to the log the next one is handled. A record that cannot be handled, or is due again at once, is postponed: it must not keep the ones
 * behind it from their turn.
 */
export const createSweeper = (options: SweeperOptions): Component => {
  const { log, metrics } = options;
  const nextDue = createDue(options);
  const lastRun = metrics.gauge('gsb_sweeper_last_run_timestamp_seconds');
  const handled = metrics.counter('gsb_sweeper_handled_records_total');
  const handleBatch = handling(options);
  const inHand = createInHand();
  /** What was handled between the last two rounds, and since. */
  let [before, since] = [new Set<string>(), new Set<string>()];
  const handleAll = async (ids: readonly string[]): Promise<void> => {
    await handleBatch(ids, before);
    for (const id of ids) since.add(id);
    handled.inc(ids.length);
  };
  // Also with a full hand it asks what is due: that notes in Redis that we are well (D-11).
  const round = async (): Promise<number> => {
    [before, since] = [since, new Set()];
    const due = await nextDue();
    const ids = inHand.isFull() ? [] : inHand.without(due);
    if (ids.length > 0) inHand.take(ids, handleAll(ids));
    inHand.throwIfFailed();
    lastRun.setToCurrentTime();
    return ids.length < batchSize ? 0 : ids.length;
  };
  const task = createPeriodicTask({ name: 'sweeper', run: round, log });
  return {
    ...task,
    stop: async () => {
      await task.stop();
      await withDeadline(inHand.idle(), stopDeadlineMs, unfinished).catch((error: unknown) =>
        log.warn({ error }, 'the sweeper did not stop cleanly'),
      );
    },
  };
};
