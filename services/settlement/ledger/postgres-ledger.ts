import { z } from 'zod';
import { ledgerEntry } from '#libs/contracts/api/settlement.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import { loadStatement } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { Ports } from '../ports.ts';

const recorded = z.object({ game_session_id: z.string() });
const statement = <S extends z.ZodType>(name: string, row: S) =>
  loadStatement({ file: new URL(`./${name}.sql`, import.meta.url), row });

const recordEntries = statement('record-entries', recorded);
const recordConfirmations = statement('record-confirmations', recorded);
const findEntry = statement('find-entry', ledgerEntry);

/** The ledger in Postgres: rows are written once and never changed. */
export const postgresLedger = (db: Db): Ports['ledger'] => ({
  record: async (entries) => {
    await recordEntries(db, [JSON.stringify(toWire(entries))]);
  },
  confirm: async (confirmations) => {
    await recordConfirmations(db, [JSON.stringify(toWire(confirmations))]);
  },
  find: async (gameSessionId) => {
    const [row] = await findEntry(db, [gameSessionId]);
    return row && fromWire(ledgerEntry, row);
  },
});
