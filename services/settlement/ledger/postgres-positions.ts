import { z } from 'zod';
import type { StorePositions } from '#libs/kafka/consumer/store-positions.ts';
import { loadStatement, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';

const behind = z.object({ next_offset: z.int() });
const place = z.object({ topic: z.string(), partition: z.int(), offset: z.int() });
const current = loadStatement(new URL('./positions.sql', import.meta.url), place);
const advance = loadStatement(new URL('./advance-position.sql', import.meta.url), behind);

/** How far the ledger holds the log, beside its rows: a promoted standby that lacks rows says so (D-38). */
export const postgresPositions = (db: Db): StorePositions => ({
  advance: async ({ topic, partition, from, to }, force) => {
    const [row] = await query(db, advance, [topic, partition, from, to, force]);
    return row?.next_offset;
  },
  current: () => query(db, current, []),
});
