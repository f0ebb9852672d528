import type { z } from 'zod';
import type { ledgerEntry } from '#libs/contracts/api/settlement.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import type { DayBounds } from '../core/days.ts';

/** An event from which the ledger is written. */
export type LedgerEvent =
  | { readonly name: 'game-session.ending'; readonly data: EventData<'game-session.ending'> }
  | { readonly name: 'billing.stopped'; readonly data: EventData<'billing.stopped'> };

/** An entry of the ledger, with the partner's confirmation if there is one. */
export type LedgerEntry = Camel<z.output<typeof ledgerEntry>>;

/** The entry of a session whose play is over. Instants in ms since the epoch, play in seconds. */
export interface NewEntry extends Omit<
  LedgerEntry,
  'startedAt' | 'endedAt' | 'partnerPlayDurationSec' | 'compensationSec'
> {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** The seconds that the partner has confirmed for a session. */
export type Confirmation = EventData<'billing.stopped'>;

/** The ledger: rows are written once and never changed. */
export interface Ledger {
  /** Writes the entries of sessions that have none yet; the others stay as they are. */
  record(entries: readonly NewEntry[]): Promise<void>;
  /** Writes the confirmations of sessions that have none yet; the others stay as they are. */
  confirm(confirmations: readonly Confirmation[]): Promise<void>;
  find(gameSessionId: string): Promise<LedgerEntry | undefined>;
}

/** What the ledger's use cases need from outside. */
export interface LedgerPorts {
  readonly ledger: Ledger;
}

/** Rows of the ledger are numbered as they are written: all rows up to these numbers are committed, later ones have higher numbers (D-30). */
export interface Watermark {
  readonly uptoEntryNo: number;
  readonly uptoConfirmationNo: number;
}

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
