import type { z } from 'zod';
import type { statementRow } from '#libs/contracts/api/settlement.ts';
import type { DayBounds } from '../core/days.ts';
import type { Watermark } from '../ledger/ports.ts';

/** A row of a statement, named as on the wire: a million rows are written without renaming their fields. */
export type StatementRow = z.output<typeof statementRow>;

/** A row and, as its place in the statement, its end of play (RFC 3339, microseconds). */
export interface PlacedRow {
  readonly place: string;
  readonly row: StatementRow;
}

/** What a statement counts: the entries of a day up to a watermark. */
export type Scope = DayBounds & Watermark;

/** Which page of which statement: the page after a row, or the first one; `size` is in rows. */
export interface PageQuery {
  readonly day: string;
  readonly scope: Scope;
  /** Whether the scope is that of the day's closing, which the server that answers has to have. */
  readonly closed: boolean;
  readonly cafe?: string | undefined;
  readonly game?: string | undefined;
  readonly after: PlacedRow | undefined;
  readonly size: number;
}

/** The statements, a page at a time, ordered by end of play and session. UNAVAILABLE where a server answers that has not the closing yet. */
export interface Statements {
  /** What the closing of a day counted; undefined while the day is open. */
  closedScope(day: string): Promise<Scope | undefined>;
  /** Sessions that ended on the day. */
  lines(query: PageQuery): Promise<PlacedRow[]>;
  /** Late sessions of closed days that the day's closing counts (D-30). */
  adjustments(query: PageQuery): Promise<PlacedRow[]>;
}

/** What reading statements needs from outside. */
export interface StatementPorts {
  readonly statements: Statements;
  readonly timeZone: string;
}
