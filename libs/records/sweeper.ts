import { Refusal } from '#libs/contracts/errors.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import type { Component } from '#libs/runtime/service.ts';
import type { RecordStore } from './record-types.ts';

/** How many due records of each shard and kind one sweep takes. */
const batchSize = 4;
/** How many expiries of each shard one sweep takes while an operator agrees to a mass expiry: more and more, as long as Redis answers in time. */
const agreed = { least: 4, more: 2, most: 32, inTimeMs: 15 } as const;
/** How many records are in hand before a round waits: most of their time they wait for the log, while the next ones can be handled. */
const mostInHand = 2_000;

interface SweeperOptions {
  readonly records: Pick<RecordStore<never>, 'due' | 'postpone'>;
  /** Handles what of many is of the common kind, together; resolves to the others. */
  readonly handleTogether?: (ids: readonly string[]) => Promise<readonly string[]>;
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
    without: (ids: readonly string[]): string[] => ids.filter((id) => !inHand.has(id)),
    take: (ids: readonly string[], handling: Promise<void>): void => {
      const over = Promise.allSettled([handling]).then(([outcome]) => {
        if (outcome.status === 'rejected') failed ??= outcome;
        for (const id of ids) inHand.delete(id);
      });
      for (const id of ids) inHand.set(id, over);
    },
    /** Resolves when fewer than so many records are in hand; throws what a batch has failed with since the last time. */
    fewerThan: async (count: number): Promise<void> => {
      for (const oldest of inHand.values()) {
        if (inHand.size < count) break;
        await oldest;
      }
      const first = failed;
      failed = undefined;
      if (first) throw first.reason;
    },
  };
};

/** Handles batches; a record that cannot be handled is postponed. Rejects when something is away. */
const handling = ({ records, handleTogether, handle, log, metrics }: SweeperOptions) => {
  const postponed = metrics.counter('gsb_sweeper_postponed_records_total');
  const postpone = async (id: string, error?: unknown): Promise<void> => {
    const outcome = await records.postpone(id);
    if (outcome === 'handled') return;
    postponed.inc();
    log.warn(
      { error },
      'a due record could not be handled; it is postponed, or removed where it does not exist',
    );
  };
  const unlessAway = (error: unknown): void => {
    if (isAway(error)) throw error;
  };
  const together = async (ids: readonly string[]): Promise<readonly string[]> => {
    try {
      return (await handleTogether?.(ids)) ?? ids;
    } catch (error) {
      unlessAway(error);
      return ids;
    }
  };
  const handleOne = async (id: string): Promise<void> => {
    try {
      await handle(id);
    } catch (error) {
      unlessAway(error);
      await postpone(id, error);
    }
  };
  /** `again`: what was handled just before, and is due again at once. */
  return async (ids: readonly string[], again: ReadonlySet<string>): Promise<void> => {
    const left = await together(ids);
    const failed = (await Promise.allSettled(left.map(handleOne))).find(
      ({ status }) => status === 'rejected',
    );
    if (failed?.status === 'rejected') throw failed.reason;
    await Promise.all(ids.filter((id) => again.has(id)).map((id) => postpone(id)));
  };
};

/** What is due, so many at once that others are still answered in time: a slow answer means that Redis, or this process, has no time to spare. */
const createDue = ({ due }: SweeperOptions['records']) => {
  let agreedBatchSize: number = agreed.least;
  return async (): Promise<string[]> => {
    const askedAt = performance.now();
    const ids = await due(batchSize, agreedBatchSize);
    const inTime = performance.now() - askedAt <= agreed.inTimeMs;
    const next = inTime ? agreedBatchSize + agreed.more : agreedBatchSize / 2;
    agreedBatchSize = Math.floor(Math.min(agreed.most, Math.max(agreed.least, next)));
    return ids;
  };
};

/**
 * Handles due records periodically, in bounded batches. There is no leader: every replica sweeps. While the events of one batch are on their way
 * to the log the next one is handled. A record that cannot be handled, or is due again at once, is postponed: it must not keep the ones
 * behind it from their turn.
 */
export const createSweeper = (options: SweeperOptions): Component => {
  const { records, log, metrics } = options;
  const nextDue = createDue(records);
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
  const round = async (): Promise<number> => {
    [before, since] = [since, new Set()];
    const due = await nextDue();
    const ids = inHand.without(due);
    inHand.take(ids, handleAll(ids));
    await inHand.fewerThan(mostInHand);
    lastRun.setToCurrentTime();
    return due.length < batchSize ? 0 : due.length;
  };
  const task = createPeriodicTask({ name: 'sweeper', run: round, log });
  return {
    ...task,
    stop: async () => {
      await task.stop();
      await inHand.fewerThan(1);
    },
  };
};
