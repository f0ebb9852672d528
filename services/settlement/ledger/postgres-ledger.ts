import { z } from 'zod';
import { ledgerEntry } from '#libs/contracts/api/settlement.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import { loadStatement, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { Ledger } from './ports.ts';

const recorded = z.object({ game_session_id: z.string() });
const recordEntries = loadStatement(new URL('./record-entries.sql', import.meta.url), recorded);
const recordConfirmations = loadStatement(new URL('./record-confirmations.sql', import.meta.url), recorded);
const findEntry = loadStatement(new URL('./find-entry.sql', import.meta.url), ledgerEntry);

/** Called with the number of rows that were new; those of redelivered events are not. */
type OnAdded = (kind: 'entry' | 'confirmation', count: number) => void;

/** The ledger in Postgres. */
export const postgresLedger = (db: Db, onAdded: OnAdded = () => undefined): Ledger => ({
  record: async (entries) => {
    const added = await query(db, recordEntries, [JSON.stringify(toWire(entries))]);
    onAdded('entry', added.length);
  },
  confirm: async (confirmations) => {
    const added = await query(db, recordConfirmations, [JSON.stringify(toWire(confirmations))]);
    onAdded('confirmation', added.length);
  },
  find: async (gameSessionId) => {
    const [row] = await query(db, findEntry, [gameSessionId]);
    return row && fromWire(ledgerEntry, row);
  },
});
