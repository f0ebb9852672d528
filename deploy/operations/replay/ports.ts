import type { DayBounds } from '../../../services/settlement/core/days.ts';
import type { Ledger, LedgerEvent, Watermark } from '../../../services/settlement/ledger/ports.ts';

/**
 * Reads the ledger's events from an instant (ms since the epoch) to the end that the log has now, in order for each partition. Resolves to how
 * many messages could not be read, or to undefined, and hands out nothing, when the log no longer holds everything of that time.
 */
export type ReadEvents = (
  sinceMs: number,
  handle: (events: LedgerEvent[]) => Promise<void>,
) => Promise<number | undefined>;

/** A day on the log: its sessions and seconds, and where the ledger differs, in seconds. */
export interface ReplayComparison {
  readonly sessions: number;
  readonly playSec: number;
  readonly differences: readonly {
    readonly gameSessionId: string;
    readonly what: string;
    readonly ledgerSec: number | null;
    readonly logSec: number | null;
  }[];
}

/** A second ledger, empty at first, that exists for one replay. */
export interface ReplayStore {
  watermark(): Promise<Watermark>;
  /** Makes the second ledger for the work and drops it afterwards; one at a time, others wait. */
  withScratchLedger<T>(work: (scratch: Ledger) => Promise<T>): Promise<T>;
  /** Compares a day of the second ledger with the ledger up to a watermark. */
  compare(day: DayBounds, watermark: Watermark): Promise<ReplayComparison>;
}
