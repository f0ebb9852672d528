import { z } from 'zod';
import type { DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { loadStatement } from '#libs/postgres/statement.ts';
import type { Bounds } from '../core/days.ts';
import type { Numbers } from '../ports.ts';

const statement = <S extends z.ZodType>(name: string, row: S) =>
  loadStatement({ file: new URL(`./replay/${name}.sql`, import.meta.url), row });

const difference = z.object({
  game_session_id: z.string(),
  what: z.string(),
  ledger_sec: z.int().nullable(),
  log_sec: z.int().nullable(),
});

const entries = statement('differing-entries', difference);
const confirmations = statement('differing-confirmations', difference);
const sums = statement('replayed-sums', z.object({ sessions: z.number(), play_sec: z.number() }));

/** Where a replay writes; the statements beside this file name it too. */
export const scratchSchema = 'gsb_replay';
/** More than anybody reads; the first of them tell what is wrong. */
const mostShown = 100;

/** A difference between the ledger and what the log says. */
export type ReplayDifference = z.output<typeof difference>;

/** Compares the scratch schema with the ledger as it was when the reading began. */
export const compareReplay = async (
  { db }: DedicatedConnection,
  { beginsAtMs, endsAtMs }: Bounds,
  { uptoEntryNo, uptoConfirmationNo }: Numbers,
) => {
  const day = [beginsAtMs, endsAtMs];
  const [replayed] = await sums(db, day);
  const differences = [
    ...(await entries(db, [...day, uptoEntryNo, mostShown])),
    ...(await confirmations(db, [...day, uptoConfirmationNo, mostShown])),
  ];
  return { sessions: replayed?.sessions ?? 0, playSec: replayed?.play_sec ?? 0, differences };
};
