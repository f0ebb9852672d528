import type { z } from 'zod';
import type { statementRow } from '#libs/contracts/api/settlement.ts';
import type { Bounds } from '../core/days.ts';
import type { Closings, Digest, Numbers } from '../ports.ts';

/** A row of a statement, named as on the wire: a million of them are written and nothing else is done with them. */
export type StatementRow = z.output<typeof statementRow>;

/** A row, and where it stands: what the next page begins after. */
export interface PlacedRow {
  readonly place: string;
  readonly row: StatementRow;
}

/** Where a page begins: after this instant (RFC 3339) and session. */
export interface Place {
  readonly place: string;
  readonly gameSessionId: string;
}

/** What a statement is made of: a day's bounds, and the numbers up to which lines count. */
export type Scope = Bounds & Pick<Numbers, 'uptoEntryNo' | 'uptoConfirmationNo'>;

/** One page that is wanted. */
export interface PageQuery {
  readonly day: string;
  readonly scope: Scope;
  readonly cafe?: string | undefined;
  readonly game?: string | undefined;
  readonly after: Place;
  readonly size: number;
}

/** The lines of a day, by end of play and session. */
export interface Statements {
  /** The scope of a day that is closed. */
  closedScope(day: string): Promise<Scope | undefined>;
  lines(query: PageQuery): Promise<PlacedRow[]>;
  adjustments(query: PageQuery): Promise<PlacedRow[]>;
}

/** What the reading of days needs from outside. */
export interface DayPorts {
  readonly statements: Statements;
  readonly timeZone: string;
  /** A connection of its own for a look at an open day. */
  openClosings(): Promise<Closings>;
  newDigest(): Digest;
}
