import { z } from 'zod';
import { statementRow } from '#libs/contracts/api/settlement.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { loadStatement, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { PageQuery, Statements } from './ports.ts';

const scopeRow = z.object({
  begins_at_ms: z.number(),
  ends_at_ms: z.number(),
  upto_entry_no: z.int(),
  upto_confirmation_no: z.int(),
});
const pageRow = statementRow.extend({ place: z.string() });
const file = (name: string) => new URL(`./${name}.sql`, import.meta.url);
const findScope = loadStatement(file('scope'), scopeRow);
const linesPage = loadStatement(file('lines-page'), pageRow);
const adjustmentsPage = loadStatement(file('adjustments-page'), pageRow);

/** The last parameters of both pages: what is selected, and after which row. */
const selected = ({ cafe, game, after, size }: Omit<PageQuery, 'day' | 'scope'>) => {
  const { place, row } = after ?? { place: '-infinity', row: { game_session_id: '' } };
  return [cafe ?? null, game ?? null, place, row.game_session_id, size];
};
const placed = ({ place, ...row }: z.output<typeof pageRow>) => ({ place, row });

/** Statements in Postgres. Each page is a query of its own that begins after the last row: a slow reader holds no transaction open. */
export const postgresStatements = (db: Db): Statements => ({
  closedScope: async (day) => {
    const [row] = await query(db, findScope, [day]);
    return row && fromWire(scopeRow, row);
  },
  lines: async ({ scope, ...page }) => {
    const { beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo } = scope;
    const counted = [beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo];
    return (await query(db, linesPage, [...counted, ...selected(page)])).map(placed);
  },
  adjustments: async ({ day, scope, ...page }) => {
    const counted = [day, scope.uptoConfirmationNo];
    return (await query(db, adjustmentsPage, [...counted, ...selected(page)])).map(placed);
  },
});
