import type { Log } from '#libs/runtime/log.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import type { Component } from '#libs/runtime/service.ts';

const bite = 4;

interface SweeperOptions {
  readonly due: (bite: number) => Promise<string[]>;
  /** What is done about one record whose deadline has passed; the store lets one replica win. */
  readonly handle: (id: string) => Promise<void>;
  /** An operator agrees to many expiries at once (D-25). */
  readonly agree?: () => Promise<void>;
  readonly log: Log;
}

/** Looks at due records again and again, in bounded bites. Leaderless: every replica sweeps, compare-and-set decides (architecture, idea B). */
export const createSweeper = ({ due, handle, agree, log }: SweeperOptions): Component => {
  const round = async (): Promise<number> => {
    const ids = await due(bite);
    const failed = (await Promise.allSettled(ids.map(handle))).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return ids.length < bite ? 0 : ids.length;
  };
  return {
    ...createPeriodicTask({ name: 'sweeper', run: round, log }),
    ...(agree && { actions: { '/sweeper/agree': agree } }),
  };
};
