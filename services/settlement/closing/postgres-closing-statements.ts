import { z } from 'zod';
import { reconciliationAdjustment, reconciliationTotal } from '#libs/contracts/api/settlement.ts';
import { loadStatements } from '#libs/postgres/statement.ts';
import { causes } from './differences.ts';
import type { Cause } from './differences.ts';

const file = (name: string) => new URL(`./${name}.sql`, import.meta.url);
const noRows = z.never();
const count = z.int().nonnegative();
const seconds = count.nullable();
const session = { game_session_id: z.string(), cafe_id: z.string(), game_id: z.string() };
const judgement = {
  cause: z.enum(Object.keys(causes) as [Cause, ...Cause[]]),
  band: z.enum(['notable', 'serious']),
};

/** What a preview begins with. */
export const hidings = Object.values(
  loadStatements(file('preview'), {
    ...{ hideClosings: noRows, hideTotals: noRows, hideAdjustments: noRows },
    ...{ hideDifferences: noRows, hideDifferenceSums: noRows, hideResults: noRows },
  }),
);

/** The statements of a closing in the order of its transaction, each with the schema of its rows. */
export const statements = {
  ...loadStatements(file('1-begin'), {
    raiseWorkMemory: noRows,
    insertClosing: noRows,
    createClosingLines: noRows,
    createPartnerBillings: noRows,
  }),
  ...loadStatements(file('2-gather-lines'), {
    findScope: z.object({
      ...{
        closing_no: count,
        begins_at: z.string(),
        ends_at: z.string(),
        closed_until: z.string().nullable(),
      },
      ...{ after_entry_no: z.string(), upto_entry_no: z.string(), upto_confirmation_no: z.string() },
    }),
    gatherLinesOfTheDay: noRows,
    gatherLateLines: noRows,
    analyzeLines: noRows,
    summarizeLines: z.object({ sessions: count, oldest_start_at_ms: z.number().nullable() }),
  }),
  ...loadStatements(file('3-add-partner-billings'), {
    addPartnerBillings: noRows,
    analyzePartnerBillings: noRows,
  }),
  ...loadStatements(file('4-record-totals'), { recordTotals: noRows, recordAdjustments: noRows }),
  ...loadStatements(file('5-record-differences'), {
    listDifferingLines: z.object({
      ...session,
      ...{ play_sec: count, client_sec: seconds, confirmed_sec: seconds },
      ...{ partner_status: z.string().nullable(), partner_sec: seconds },
    }),
    listUnmatchedBillings: z.object({ ...session, status: z.string(), partner_sec: count }),
    recordDifferences: noRows,
    recordDifferenceSums: noRows,
    recordResult: noRows,
  }),
  ...loadStatements(file('6-read-closing'), {
    findClosing: z.object({
      ...{ day: z.string(), time_zone: z.string(), partner_statement: z.enum(['compared', 'left_out']) },
      ...{ sessions: count, play_duration_sec: count, agreeing_sessions: count },
      ...{ adjustment_count: count, difference_count: count },
    }),
    listTotals: reconciliationTotal,
    listAdjustments: reconciliationAdjustment,
    listDifferenceSums: z.object({
      ...{ cafe_id: z.string(), game_id: z.string(), ...judgement },
      ...{ sessions: count, our_sec: count, their_sec: count },
    }),
    listDifferences: z.object({ ...session, ...judgement, our_sec: seconds, their_sec: seconds }),
  }),
};
