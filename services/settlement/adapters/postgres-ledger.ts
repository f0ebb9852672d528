import { z } from 'zod';
import { ledgerEntry } from '#libs/contracts/api/settlement.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import { loadStatement } from '#libs/postgres/statement.ts';
import type { Db } from '#libs/postgres/statement.ts';
import type { Ports } from '../ports.ts';

const recorded = z.object({ game_session_id: z.string() });
const statement = <S extends z.ZodType>(name: string, row: S) =>
  loadStatement({ file: new URL(`./${name}.sql`, import.meta.url), row });

const recordEntry = statement('record-entry', recorded);
const recordConfirmation = statement('record-confirmation', recorded);
const findEntry = statement('find-entry', ledgerEntry);

/** The ledger in Postgres: rows are written once and never changed. */
export const postgresLedger = (db: Db): Ports['ledger'] => ({
  record: async (entry) => {
    const who = [entry.gameSessionId, entry.cafeId, entry.pcId, entry.gameId, entry.userHash];
    const what = [
      entry.startedAtMs,
      entry.endedAtMs,
      entry.endReason,
      entry.playDurationSec,
      entry.clientPlayDurationSec,
    ];
    await recordEntry(db, [...who, ...what]);
  },
  confirm: async (gameSessionId, partnerPlayDurationSec) => {
    await recordConfirmation(db, [gameSessionId, partnerPlayDurationSec]);
  },
  find: async (gameSessionId) => {
    const [row] = await findEntry(db, [gameSessionId]);
    return row && fromWire(ledgerEntry, row);
  },
});
