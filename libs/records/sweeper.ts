import { Refusal } from '#libs/contracts/errors.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import type { Component } from '#libs/runtime/service.ts';
import type { RecordStore } from './record-types.ts';

/** How many due records of each shard and kind one sweep takes. */
const batchSize = 4;

interface SweeperOptions {
  readonly records: Pick<RecordStore<never>, 'due' | 'postpone'>;
  /** Acts on one record whose deadline has passed. Every replica may call it for the same record: compare-and-set lets one win. */
  readonly handle: (id: string) => Promise<void>;
  readonly log: Log;
  readonly metrics: Metrics;
}

const isAway = (error: unknown): boolean => error instanceof Refusal && error.code === 'UNAVAILABLE';

/**
 * Handles due records periodically, in bounded batches. There is no leader: every replica sweeps. A record that cannot be handled, or is
 * due again at once, is postponed: it must not keep the ones behind it from their turn.
 */
export const createSweeper = (options: SweeperOptions): Component => {
  const { records, handle, log, metrics } = options;
  const postponed = metrics.counter('gsb_sweeper_postponed_records_total');
  const lastRun = metrics.gauge('gsb_sweeper_last_run_timestamp_seconds');
  const handled = metrics.counter('gsb_sweeper_handled_records_total');
  let before: ReadonlySet<string> = new Set();
  const postpone = async (id: string, error?: unknown): Promise<void> => {
    const outcome = await records.postpone(id);
    if (outcome === 'handled') return;
    postponed.inc();
    log.warn(
      { error },
      'a due record could not be handled; it is postponed, or removed where it does not exist',
    );
  };
  const handleOne = async (id: string): Promise<void> => {
    try {
      await handle(id);
    } catch (error) {
      if (isAway(error)) throw error;
      return postpone(id, error);
    }
    if (before.has(id)) await postpone(id);
  };
  const round = async (): Promise<number> => {
    const ids = await records.due(batchSize);
    const failed = (await Promise.allSettled(ids.map(handleOne))).find(({ status }) => status === 'rejected');
    before = new Set(ids);
    if (failed?.status === 'rejected') throw failed.reason;
    handled.inc(ids.length);
    lastRun.setToCurrentTime();
    return ids.length < batchSize ? 0 : ids.length;
  };
  return createPeriodicTask({ name: 'sweeper', run: round, log });
};
