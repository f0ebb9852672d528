import { z } from 'zod';
import { fromWire } from '#libs/contracts/wire.ts';
import { loadStatement, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { Watermark } from './ports.ts';

const row = z.object({ upto_entry_no: z.int(), upto_confirmation_no: z.int() });
const watermark = loadStatement(new URL('./watermark.sql', import.meta.url), row);

/** The ledger's watermark, after the rows with lower numbers are committed. Outside a transaction. Rejects UNAVAILABLE when the lock times out. */
export const readWatermark = async (db: Db): Promise<Watermark> =>
  fromWire(row, (await query(db, watermark))[0]);
