import type { z } from 'zod';
import type { ledgerEntry } from '#libs/contracts/api/settlement.ts';
import type { Camel } from '#libs/contracts/wire.ts';

/** One line of the ledger. */
export type LedgerEntry = Camel<z.output<typeof ledgerEntry>>;

/** What is written when play is over. Times in ms since the epoch, play in seconds. */
export interface NewEntry {
  readonly gameSessionId: string;
  readonly cafeId: string;
  readonly pcId: string;
  readonly gameId: string;
  readonly userHash: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly endReason: string;
  readonly playDurationSec: number;
  readonly clientPlayDurationSec: number | null;
}

/** The partner's seconds for a session. */
export interface Confirmation {
  readonly gameSessionId: string;
  readonly partnerPlayDurationSec: number;
}

/** What the use cases of this service need from outside. */
export interface Ports {
  readonly ledger: {
    /** Writes entries once; the same again changes nothing. */
    record(entries: readonly NewEntry[]): Promise<void>;
    confirm(confirmations: readonly Confirmation[]): Promise<void>;
    find(gameSessionId: string): Promise<LedgerEntry | undefined>;
  };
  /** SHA-256 of a text in hexadecimal: the ledger knows players only by it. */
  hash(text: string): string;
}
