import { z } from 'zod';
import { fromWire } from '#libs/contracts/wire.ts';
import { inTransaction } from '#libs/postgres/dedicated-connection.ts';
import type { DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { loadStatement, query } from '#libs/postgres/statement.ts';
import type { Watermark } from './ports.ts';

const row = z.object({ upto_entry_no: z.int(), upto_confirmation_no: z.int() });
const watermark = loadStatement(new URL('./watermark.sql', import.meta.url), row);

/** The ledger's watermark. Rejects UNAVAILABLE when the lock times out. */
export const readWatermark = (connection: DedicatedConnection): Promise<Watermark> => {
  const work = async () => {
    // A row has its number before it is committed: the lock waits for those who are writing one, and new writers wait for the lock.
    await connection.command('lock table entries, confirmations in share mode');
    return fromWire(row, (await query(connection.db, watermark))[0]);
  };
  return inTransaction(connection, work, { commit: false });
};
