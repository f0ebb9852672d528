import type { z } from 'zod';
import type { ledgerEntry } from '#libs/contracts/api/settlement.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Camel } from '#libs/contracts/wire.ts';

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

/** A hash that tells which sessions of a month are one player's in one game, and nothing else. Rejects UNAVAILABLE when Postgres is away. */
export type HashUser = (
  player: { readonly gameId: string; readonly providerUserId: string },
  endedAtMs: number,
) => Promise<string>;

/** What the ledger's use cases need from outside. */
export interface LedgerPorts {
  readonly ledger: Ledger;
}

/** What writing the ledger needs from outside. */
export interface RecordPorts extends LedgerPorts {
  readonly hashUser: HashUser;
}

/** Rows of the ledger are numbered as they are written: all rows up to these numbers are committed, later ones have higher numbers (D-30). */
export interface Watermark {
  readonly uptoEntryNo: number;
  readonly uptoConfirmationNo: number;
}
