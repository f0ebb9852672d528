import type { z } from 'zod';
import type {
  ledgerEntry,
  reconciliationAdjustment,
  reconciliationTotal,
} from '#libs/contracts/api/settlement.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import type { Compared, Difference } from './closing/differences.ts';

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

/** What a digest is made with, piece by piece. */
export interface Digest {
  update(text: string): void;
  /** In hexadecimal. */
  end(): string;
}

/** The limits of what a closing counts: numbers of lines, so that what came later is told apart (D-30). */
export interface Numbers {
  readonly afterEntryNo: number;
  readonly uptoEntryNo: number;
  readonly uptoConfirmationNo: number;
}

/** A closing to be made. Instants in ms since the epoch. */
export interface NewClosing extends Numbers {
  readonly day: string;
  readonly timeZone: string;
  readonly beginsAtMs: number;
  readonly endsAtMs: number;
  readonly partnerStatement: 'compared' | 'left_out';
}

/** A closing as it stands, with its sums. */
export interface Closing {
  readonly day: string;
  readonly timeZone: string;
  readonly partnerStatement: 'compared' | 'left_out';
  readonly sessions: number;
  readonly playDurationSec: number;
  readonly agreeingSessions: number;
  readonly adjustmentCount: number;
  readonly differenceCount: number;
}

/** What cafe, game and session a difference is about. */
export interface Subject {
  readonly gameSessionId: string;
  readonly cafeId: string;
  readonly gameId: string;
}

/** A session that the books do not agree on, before it is said why. */
export type Candidate = Subject & Compared;

/** A billing of the partner without a session here. */
export interface Stray extends Subject {
  readonly status: string;
  readonly partnerSec: number;
}

/** A difference with what it is about. */
export type FoundDifference = Subject & Difference;

/** How many differences of a cause a cafe and a game have, and the seconds on both sides. */
export interface DifferenceSum extends Pick<Difference, 'cause' | 'band'> {
  readonly cafeId: string;
  readonly gameId: string;
  readonly sessions: number;
  readonly ourSec: number;
  readonly theirSec: number;
}

/** A line of the partner's own statement. */
export interface PartnerBilling {
  readonly billingId: string;
  readonly cafeId: string;
  readonly gameId: string;
  readonly status: string;
  readonly startedAt: string;
  readonly stoppedAt: string | null;
  readonly playDurationSec: number;
}

/** What a cafe and a game have of a day. */
export type Total = Camel<z.output<typeof reconciliationTotal>>;

/** A session that came after its own day was closed. */
export type Adjustment = Camel<z.output<typeof reconciliationAdjustment>>;

/** What a closing lists, a page at a time. */
export interface Listed {
  totals(day: string): AsyncIterable<Total[]>;
  adjustments(day: string): AsyncIterable<Adjustment[]>;
  differenceSums(day: string): AsyncIterable<DifferenceSum[]>;
  differences(day: string): AsyncIterable<FoundDifference[]>;
}

/** The closings in Postgres, over one connection. Everything but `alone` and `numbers` happens inside `within`. */
export interface Closings extends Listed {
  /** Runs the work while no other closing runs; rejects UNAVAILABLE when another does not end in time. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** The numbers of this moment; every line up to them has been committed. */
  numbers(): Promise<Numbers>;
  /** One transaction; `keep: false` takes everything back at its end. */
  within<T>(work: () => Promise<T>, keep: boolean): Promise<T>;
  find(day: string): Promise<Closing | undefined>;
  begin(closing: NewClosing): Promise<void>;
  /** Gathers the day's lines and the late ones; tells how many, and the oldest start among them. */
  gather(day: string): Promise<{ sessions: number; oldestStartAtMs: number | null }>;
  takeStatement(billings: readonly PartnerBilling[]): Promise<void>;
  addUp(day: string): Promise<void>;
  candidates(compared: boolean): AsyncIterable<Candidate[]>;
  strays(day: string): AsyncIterable<Stray[]>;
  recordDifferences(day: string, differences: readonly FoundDifference[]): Promise<void>;
  recordResult(day: string, result: { differingSessions: number; sums: DifferenceSum[] }): Promise<void>;
  end(): Promise<void>;
}

/** The partner's own statement of a day, some billings at a time. Rejects with StatementAway when it cannot be had or believed. */
export type PartnerStatement = (day: string) => AsyncIterable<PartnerBilling[]>;

/** The partner's statement could not be had, or cannot be believed. */
export class StatementAway extends Error {
  override readonly name = 'StatementAway';
}
