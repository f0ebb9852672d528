import type { z } from 'zod';
import type {
  getReconciliation,
  reconciliationAdjustment,
  reconciliationTotal,
} from '#libs/contracts/api/settlement.ts';
import type { Data } from '#libs/contracts/endpoint.ts';
import type { partnerBilling } from '#libs/contracts/partner.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import type { DayBounds } from '../core/days.ts';
import type { Watermark } from '../ledger/ports.ts';
import type { ComparedLine, Difference } from './differences.ts';

/** A reconciliation, as operators receive it. */
export type Reconciliation = Data<typeof getReconciliation>;

/** A closing and its sums; seconds are those of its sessions, adjustments included. */
export interface Closing extends Omit<Reconciliation, 'closed' | 'totals' | 'adjustments' | 'differences'> {
  readonly timeZone: string;
}

/** A closing to be made: its day, and the watermark up to which it counts the ledger. */
export type NewClosing = Pick<Closing, 'day' | 'timeZone' | 'partnerStatement'> & DayBounds & Watermark;

/** A session with its cafe and game. */
export interface SessionRef {
  readonly gameSessionId: string;
  readonly cafeId: string;
  readonly gameId: string;
}

/** A session of the closing whose records may differ. */
export type DifferingLine = SessionRef & ComparedLine;

/** A billing of the partner without an entry in the ledger. */
export interface UnmatchedBilling extends SessionRef {
  readonly status: string;
  readonly partnerSec: number;
}

/** A difference, and the session that it concerns. */
export type FoundDifference = SessionRef & Difference;

/** How many differences of a cause a cafe and a game have, and the seconds on both sides. */
export interface DifferenceSum extends Pick<FoundDifference, 'cafeId' | 'gameId' | 'cause' | 'band'> {
  readonly sessions: number;
  readonly ourSec: number;
  readonly theirSec: number;
}

/** A line of the partner's own statement. */
export type PartnerBilling = Camel<z.output<typeof partnerBilling>>;

/** The sums of a day for one cafe and game. */
export type Total = Camel<z.output<typeof reconciliationTotal>>;

/** A session whose own day was closed before its entry was written (D-30). */
export type Adjustment = Camel<z.output<typeof reconciliationAdjustment>>;

/** The lists of a closing, a page at a time. */
export interface ClosingLists {
  totals(day: string): AsyncIterable<Total[]>;
  adjustments(day: string): AsyncIterable<Adjustment[]>;
  differenceSums(day: string): AsyncIterable<DifferenceSum[]>;
  differences(day: string): AsyncIterable<FoundDifference[]>;
}

/** The closings, over one connection. What a closing is made and read with is called inside `inTransaction`. */
export interface Closings extends ClosingLists {
  /** Does the work while no other closing is made or previewed. Rejects UNAVAILABLE when another one does not end in time, or RATE_LIMITED at once where it does not wait. */
  withLock<T>(work: () => Promise<T>): Promise<T>;
  watermark(): Promise<Watermark>;
  /** Does the work in one transaction, which is committed or rolled back at its end. */
  inTransaction<T>(work: () => Promise<T>, options: { commit: boolean }): Promise<T>;
  find(day: string): Promise<Closing | undefined>;
  /** Until the transaction ends, what is written of a closing is written beside the closings; for a preview. */
  hideClosings(): Promise<void>;
  begin(closing: NewClosing): Promise<void>;
  /** Gathers the sessions of the day and the late ones; resolves to how many, and their oldest start in ms since the epoch. */
  gatherLines(day: string): Promise<{ sessions: number; oldestStartAtMs: number | null }>;
  addPartnerBillings(billings: readonly PartnerBilling[]): Promise<void>;
  recordTotals(day: string): Promise<void>;
  /** The lines on which another record seems to differ from ours; `compared`: whether the partner's statement counts. */
  differingLines(compared: boolean): AsyncIterable<DifferingLine[]>;
  unmatchedBillings(day: string): AsyncIterable<UnmatchedBilling[]>;
  recordDifferences(day: string, differences: readonly FoundDifference[]): Promise<void>;
  recordResult(day: string, result: { differingSessions: number; sums: DifferenceSum[] }): Promise<void>;
  /** Closes the connection. */
  end(): Promise<void>;
}

/** Reads the partner's own statement of a day, some billings at a time. Rejects PartnerStatementUnavailable. */
export type ReadPartnerStatement = (day: string) => AsyncIterable<PartnerBilling[]>;

/** The partner's own statement cannot be read, or is not as agreed. */
export class PartnerStatementUnavailable extends Error {
  override readonly name = 'PartnerStatementUnavailable';
}

/** Why a lock of closings is UNAVAILABLE: whoever has it did not end in time. */
export class AnotherClosingRuns extends Error {
  override readonly name = 'AnotherClosingRuns';
}

/** What closing a day needs from outside. Without `readPartnerStatement` the closing leaves the partner's statement out and says so (D-29). */
export interface ClosingPorts {
  readonly closings: Closings;
  readonly readPartnerStatement?: ReadPartnerStatement | undefined;
  /** Is told each step, for a person who waits. */
  readonly progress: (text: string) => void;
}

/** What reading a reconciliation needs from outside. */
export interface ReconciliationPorts {
  readonly timeZone: string;
  /** Closings over a connection for one reconciliation; its lock does not wait. */
  openClosings(): Promise<Closings>;
}
