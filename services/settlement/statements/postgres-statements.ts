import { z } from 'zod';
import { statementRow } from '#libs/contracts/api/settlement.ts';
import { unavailable } from '#libs/contracts/errors.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { loadStatement, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { PageQuery, PlacedRow, StatementRow, Statements } from './ports.ts';

const scopeRow = z.object({
  begins_at_ms: z.number(),
  ends_at_ms: z.number(),
  upto_entry_no: z.int(),
  upto_confirmation_no: z.int(),
});
const hasClosing = { has_closing: z.boolean() };
const pageRow = z.union([
  statementRow.extend({ ...hasClosing, place: z.string() }),
  z.object({ ...hasClosing, place: z.null() }),
]);
const file = (name: string) => new URL(`./${name}.sql`, import.meta.url);
const findScope = loadStatement(file('scope'), scopeRow);
const linesPage = loadStatement(file('lines-page'), pageRow);
const adjustmentsPage = loadStatement(file('adjustments-page'), pageRow);

/** The last parameters of both pages: what is selected, and after which row. */
const selected = ({ cafe, game, after, size }: Omit<PageQuery, 'day' | 'scope' | 'closed'>) => {
  const { place, row } = after ?? { place: '-infinity', row: { game_session_id: '' } };
  return [cafe ?? null, game ?? null, place, row.game_session_id, size];
};
/** The rows of a page. Throws UNAVAILABLE where it came from a server that has not the closing yet which says how far the day goes. */
const placed = (page: readonly z.output<typeof pageRow>[]): PlacedRow[] =>
  page.flatMap(({ has_closing: isWhole, place, ...row }) => {
    if (!isWhole) throw unavailable();
    return place === null ? [] : [{ place, row: row as StatementRow }];
  });

/**
 * Statements in Postgres. Each page is a query of its own that begins after the last row: a slow reader holds no transaction open. Each may be answered
 * by another standby.
 */
export const postgresStatements = (db: Db): Statements => ({
  closedScope: async (day) => {
    const [row] = await query(db, findScope, [day]);
    return row && fromWire(scopeRow, row);
  },
  lines: async ({ day, scope, closed, ...page }) => {
    const { beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo } = scope;
    const counted = [beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo];
    return placed(await query(db, linesPage, [...counted, ...selected(page), closed ? day : null]));
  },
  adjustments: async ({ day, scope, ...page }) => {
    const counted = [day, scope.uptoConfirmationNo];
    return placed(await query(db, adjustmentsPage, [...counted, ...selected(page)]));
  },
});
