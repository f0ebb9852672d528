import type { DayBounds } from '../../../services/settlement/core/days.ts';
import { recordPlay } from '../../../services/settlement/ledger/record-play.ts';
import type { ReadEvents, ReplayComparison, ReplayStore } from './ports.ts';

/** Clocks of two services may differ by this much: an event is published after the play that it reports has ended. */
const clockSkewMs = 600_000;
const maxComparisons = 20;
/** A replay does not need to know who played. */
const nobody = async () => '';

/** What a replay needs from outside. */
export interface ReplayPorts {
  readonly readEvents: ReadEvents;
  readonly store: ReplayStore;
  /** Resolves when it is worth comparing again. */
  readonly pause: () => Promise<void>;
}

/** Settlement may be some events behind the log: what only the log has may still be written. */
const compareUntilCaughtUp = async (
  compare: () => Promise<ReplayComparison>,
  pause: () => Promise<void>,
): Promise<ReplayComparison> => {
  for (let count = 1; ; count += 1) {
    const comparison = await compare();
    const isBehind = comparison.differences.some(({ what }) => what.endsWith('only on the log'));
    if (!isBehind || count === maxComparisons) return comparison;
    await pause();
  }
};

/**
 * Writes a day from the log into a second ledger, by the code of the consumer, and compares the two (I7). Resolves to undefined when the log
 * does not reach back to the day; `unreadable` counts messages of the log that could not be read.
 */
export const replayDay =
  ({ readEvents, store, pause }: ReplayPorts) =>
  async (day: DayBounds): Promise<(ReplayComparison & { readonly unreadable: number }) | undefined> => {
    const upto = await store.upto();
    const ledger = await store.scratchLedger();
    const unreadable = await readEvents(
      day.beginsAtMs - clockSkewMs,
      recordPlay({ ledger, hashUser: nobody }),
    );
    if (unreadable === undefined) return undefined;
    const compare = () => store.compare(day, upto);
    return { unreadable, ...(await compareUntilCaughtUp(compare, pause)) };
  };
