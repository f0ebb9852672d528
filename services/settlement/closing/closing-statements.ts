import { z } from 'zod';
import { reconciliationAdjustment, reconciliationTotal } from '#libs/contracts/api/settlement.ts';
import { loadStatement } from '#libs/postgres/statement.ts';
import { causes } from './differences.ts';
import type { Cause } from './differences.ts';

const fileOf = (name: string) => new URL(`./${name}.sql`, import.meta.url);
const statement = <S extends z.ZodType>(name: string, row: S) => loadStatement({ file: fileOf(name), row });

const count = z.int().nonnegative();
const none = z.unknown();
const subject = { game_session_id: z.string(), cafe_id: z.string(), game_id: z.string() };

/** The row of `numbers.sql`. */
export const numbersRow = z.object({
  after_entry_no: count,
  upto_entry_no: count,
  upto_confirmation_no: count,
});

/** The row of `find-closing.sql`. */
export const closingRow = z.object({
  day: z.string(),
  time_zone: z.string(),
  partner_statement: z.enum(['compared', 'left_out']),
  sessions: count,
  play_duration_sec: count,
  agreeing_sessions: count,
  adjustment_count: count,
  difference_count: count,
});

/** The statements of a closing that answer at once, by what they do. */
export const statements = {
  numbers: statement('numbers', numbersRow),
  find: statement('find-closing', closingRow),
  begin: statement('begin-closing', none),
  createLines: statement('create-lines', none),
  createPartnerBillings: statement('create-partner-billings', none),
  gatherLines: statement('gather-lines', none),
  gatherLateLines: statement('gather-late-lines', none),
  oldestStart: statement(
    'oldest-start',
    z.object({ sessions: count, oldest_start_at_ms: z.number().nullable() }),
  ),
  takePartnerBillings: statement('take-partner-billings', none),
  recordTotals: statement('record-totals', none),
  recordAdjustments: statement('record-adjustments', none),
  recordDifferences: statement('record-differences', none),
  recordDifferenceSums: statement('record-difference-sums', none),
  recordResult: statement('record-result', none),
};

const sec = count.nullable();
const about = {
  cause: z.enum(Object.keys(causes) as [Cause, ...Cause[]]),
  band: z.enum(['notable', 'serious']),
};
const differenceSum = z.object({
  cafe_id: z.string(),
  game_id: z.string(),
  ...about,
  sessions: count,
  our_sec: count,
  their_sec: count,
});

const paged = <S extends z.ZodType>(name: string, row: S) => ({ name, file: fileOf(name), row });

/** The statements of a closing that are read a page at a time. */
export const lists = {
  totals: paged('list-totals', reconciliationTotal),
  adjustments: paged('list-adjustments', reconciliationAdjustment),
  differences: paged(
    'list-differences',
    z.object({
      ...subject,
      ...about,
      our_sec: sec,
      their_sec: sec,
    }),
  ),
  differenceSums: paged('list-difference-sums', differenceSum),
  candidates: paged(
    'differing-lines',
    z.object({
      ...subject,
      play_sec: count,
      client_sec: sec,
      confirmed_sec: sec,
      partner_status: z.string().nullable(),
      partner_sec: sec,
    }),
  ),
  strays: paged('stray-billings', z.object({ ...subject, status: z.string(), partner_sec: count })),
};
