import { z } from 'zod';
import { fromWire } from '#libs/contracts/wire.ts';
import { openConnection } from '#libs/postgres/dedicated-connection.ts';
import type { ConnectionLimits, DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { migrate } from '#libs/postgres/migrate.ts';
import { loadStatements, query } from '#libs/postgres/statement.ts';
import { postgresLedger } from '../../../services/settlement/ledger/postgres-ledger.ts';
import { readWatermark } from '../../../services/settlement/ledger/postgres-watermark.ts';
import type { ReplayStore } from './ports.ts';

const differenceRow = z.object({
  game_session_id: z.string(),
  what: z.string(),
  ledger_sec: z.int().nullable(),
  log_sec: z.int().nullable(),
});
const sumsRow = z.object({ sessions: z.number(), play_sec: z.number() });

const statements = loadStatements(new URL('./compare-replay.sql', import.meta.url), {
  sumReplayed: sumsRow,
  listDifferingEntries: differenceRow,
  listDifferingConfirmations: differenceRow,
});

/** The schema of the second ledger; compare-replay.sql names it too. */
const scratchSchema = 'gsb_replay';
const maxDifferences = 100;
/** The advisory lock of replays; no other lock may have its number. */
const replayLock = 5_120_208;

interface ReplayDatabase {
  readonly connection: DedicatedConnection;
  readonly url: string;
  readonly limits: ConnectionLimits;
  readonly migrations: string;
}

/** Replays in Postgres: the second ledger is a schema of its own, made by the same migrations as the ledger. */
export const postgresReplay = ({ connection, url, limits, migrations }: ReplayDatabase): ReplayStore => ({
  watermark: () => readWatermark(connection),
  withScratchLedger: async (work) => {
    await connection.command(`select pg_advisory_lock(${replayLock})`);
    const drop = () => connection.command(`drop schema if exists ${scratchSchema} cascade`);
    await drop();
    await migrate({ databaseUrl: url, folder: migrations, schema: scratchSchema });
    const scratch = await openConnection(url, limits, scratchSchema);
    try {
      return await work(postgresLedger(scratch.db));
    } finally {
      await scratch.end();
      await drop();
    }
  },
  compare: async ({ beginsAtMs, endsAtMs }, { uptoEntryNo, uptoConfirmationNo }) => {
    const { db } = connection;
    const day = [beginsAtMs, endsAtMs];
    const [sums] = await query(db, statements.sumReplayed, day);
    const differences = [
      ...(await query(db, statements.listDifferingEntries, [...day, uptoEntryNo, maxDifferences])),
      ...(await query(db, statements.listDifferingConfirmations, [
        ...day,
        uptoConfirmationNo,
        maxDifferences,
      ])),
    ];
    return { ...fromWire(sumsRow, sums), differences: fromWire(z.array(differenceRow), differences) };
  },
});
