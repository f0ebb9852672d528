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

/** The ledger, and a second one, empty at first, that exists for one replay. */
export interface ReplayStore {
  /** The highest numbers of the ledger now. Rows below them may still be written: their events are on the log already. Before `scratchLedger`. */
  upto(): Promise<Watermark>;
  /** Makes the second ledger; it goes with the connection. */
  scratchLedger(): Promise<Ledger>;
  /** Compares a day of the second ledger with the ledger up to these numbers. */
  compare(day: DayBounds, upto: Watermark): Promise<ReplayComparison>;
}
