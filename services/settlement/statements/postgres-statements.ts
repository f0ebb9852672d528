import { z } from 'zod';
import { statementRow } from '#libs/contracts/api/settlement.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { loadStatement, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { Statements } from './ports.ts';

const scopeRow = z.object({
  begins_at_ms: z.number(),
  ends_at_ms: z.number(),
  upto_entry_no: z.int(),
  upto_confirmation_no: z.int(),
});
const pageRow = statementRow.extend({ place: z.string() });
const file = (name: string) => new URL(`./${name}.sql`, import.meta.url);
const findScope = loadStatement(file('scope'), scopeRow);
/** Pages are not prepared under a name: the best plan depends on the parameters. */
const linesPage = { ...loadStatement(file('lines-page'), pageRow), name: '' };
const adjustmentsPage = { ...loadStatement(file('adjustments-page'), pageRow), name: '' };

const placed = ({ place, ...row }: z.output<typeof pageRow>) => ({ place, row });

/** Statements in Postgres. Each page is a query of its own that begins after the last row: a slow reader holds no transaction open. */
export const postgresStatements = (db: Db): Statements => ({
  closedScope: async (day) => {
    const [row] = await query(db, findScope, [day]);
    return row && fromWire(scopeRow, row);
  },
  lines: async ({ scope, cafe, game, after, size }) => {
    const { beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo } = scope;
    const where = [beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo, cafe ?? null, game ?? null];
    return (await query(db, linesPage, [...where, after.place, after.gameSessionId, size])).map(placed);
  },
  adjustments: async ({ day, scope, cafe, game, after, size }) => {
    const where = [day, scope.uptoConfirmationNo, cafe ?? null, game ?? null];
    return (await query(db, adjustmentsPage, [...where, after.place, after.gameSessionId, size])).map(placed);
  },
});
