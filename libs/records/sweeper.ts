import type { Log } from '#libs/runtime/log.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import type { Component } from '#libs/runtime/service.ts';

/** How many due records of each shard and kind one sweep takes. */
const batchSize = 4;

interface SweeperOptions {
  readonly due: (batchSize: number) => Promise<string[]>;
  /** Acts on one record whose deadline has passed. Every replica may call it for the same record: compare-and-set lets one win. */
  readonly handle: (id: string) => Promise<void>;
  /** An operator agrees to a mass expiry (D-25). */
  readonly agree?: () => Promise<void>;
  readonly log: Log;
}

/** Handles due records periodically, in bounded batches. There is no leader: every replica sweeps. */
export const createSweeper = ({ due, handle, agree, log }: SweeperOptions): Component => {
  const round = async (): Promise<number> => {
    const ids = await due(batchSize);
    const failed = (await Promise.allSettled(ids.map(handle))).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return ids.length < batchSize ? 0 : ids.length;
  };
  return {
    ...createPeriodicTask({ name: 'sweeper', run: round, log }),
    ...(agree && { actions: { '/sweeper/agree': agree } }),
  };
};
