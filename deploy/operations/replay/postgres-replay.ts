import { z } from 'zod';
import { fromWire } from '#libs/contracts/wire.ts';
import { loadStatements, query } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import { postgresLedger } from '../../../services/settlement/ledger/postgres-ledger.ts';
import type { ReplayStore } from './ports.ts';

const differenceRow = z.object({
  game_session_id: z.string(),
  what: z.string(),
  ledger_sec: z.int().nullable(),
  log_sec: z.int().nullable(),
});
const sumsRow = z.object({ sessions: z.number(), play_sec: z.number() });
const uptoRow = z.object({ upto_entry_no: z.int(), upto_confirmation_no: z.int() });
const noRows = z.never();

const { readUpto, ...creations } = loadStatements(new URL('./scratch.sql', import.meta.url), {
  readUpto: uptoRow,
  ...{ nameLedgerEntries: noRows, nameLedgerConfirmations: noRows },
  ...{ createEntries: noRows, keyEntries: noRows, createConfirmations: noRows, keyConfirmations: noRows },
});
const statements = loadStatements(new URL('./compare-replay.sql', import.meta.url), {
  analyzeReplayed: noRows,
  sumReplayed: sumsRow,
  listDifferingEntries: differenceRow,
  listDifferingConfirmations: differenceRow,
});

const maxDifferences = 100;

/** A replay in Postgres, over a connection of its own: it reads the ledger and writes into temporary tables alone, so that it needs no more rights than to read. */
export const postgresReplay = (db: Db): ReplayStore => ({
  upto: async () => fromWire(uptoRow, (await query(db, readUpto))[0]),
  scratchLedger: async () => {
    for (const statement of Object.values(creations)) await query(db, statement);
    return postgresLedger(db);
  },
  compare: async ({ beginsAtMs, endsAtMs }, { uptoEntryNo, uptoConfirmationNo }) => {
    const day = [beginsAtMs, endsAtMs];
    await query(db, statements.analyzeReplayed);
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
