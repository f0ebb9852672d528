import { z } from 'zod';
import { statementRow } from '#libs/contracts/api/settlement.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { loadStatement } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { Statements } from './ports.ts';

const fileOf = (name: string) => new URL(`./${name}.sql`, import.meta.url);
const pages = { row: statementRow.extend({ place: z.string() }), plannedEachTime: true };

const scopeRow = z.object({
  begins_at_ms: z.number(),
  ends_at_ms: z.number(),
  upto_entry_no: z.int(),
  upto_confirmation_no: z.int(),
});

const findScope = loadStatement({ file: fileOf('scope'), row: scopeRow });
const linesPage = loadStatement({ file: fileOf('lines-page'), ...pages });
const adjustmentsPage = loadStatement({ file: fileOf('adjustments-page'), ...pages });

const unplaced = ({ place, ...row }: z.output<typeof pages.row>) => ({ place, row });

/** Statements out of Postgres, a page at a time from where the last one ended: no transaction is held while a slow reader reads. */
export const postgresStatements = (db: Db): Statements => ({
  closedScope: async (day) => {
    const [row] = await findScope(db, [day]);
    return row && fromWire(scopeRow, row);
  },
  lines: async ({ scope, cafe, game, after, size }) => {
    const { beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo } = scope;
    const where = [beginsAtMs, endsAtMs, uptoEntryNo, uptoConfirmationNo, cafe ?? null, game ?? null];
    return (await linesPage(db, [...where, after.place, after.gameSessionId, size])).map(unplaced);
  },
  adjustments: async ({ day, scope, cafe, game, after, size }) => {
    const where = [day, scope.uptoConfirmationNo, cafe ?? null, game ?? null];
    return (await adjustmentsPage(db, [...where, after.place, after.gameSessionId, size])).map(unplaced);
  },
});
