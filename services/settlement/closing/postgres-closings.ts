import { z } from 'zod';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import { cursorPages } from '#libs/postgres/cursor-pages.ts';
import { inTransaction } from '#libs/postgres/dedicated-connection.ts';
import type { DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { sqlStateOf } from '#libs/postgres/denied.ts';
import { query } from '#libs/postgres/statement.ts';
import type { Statement } from '#libs/postgres/statement.ts';
import { readWatermark } from '../ledger/postgres-watermark.ts';
import { hidings, statements } from './postgres-closing-statements.ts';
import { tolerances } from './differences.ts';
import { AnotherClosingRuns, PartnerStatementUnavailable } from './ports.ts';
import type { Closings, ClosingLists, DifferingLine } from './ports.ts';

const pageSize = 500;
/** The advisory lock of closings; no other lock may have its number. */
const closingLock = 5_120_207;
/** An open day of a million lines is reconciled in some seconds. */
const busyRetryAfterSec = 5;

async function* list<S extends z.ZodType>(
  connection: DedicatedConnection,
  statement: Statement<S>,
  params: readonly unknown[],
): AsyncGenerator<Camel<z.output<S>>[]> {
  const unparsed = { ...statement, row: z.unknown() };
  for await (const page of cursorPages(connection, unparsed, params, pageSize))
    yield page.map((row) => fromWire(statement.row, row));
}

async function* differingLines(
  connection: DedicatedConnection,
  compared: boolean,
): AsyncGenerator<DifferingLine[]> {
  const params = [tolerances.clientAgreeSec, tolerances.clientAgreeShare, compared];
  for await (const page of list(connection, statements.listDifferingLines, params)) {
    yield page.map(({ partnerStatus, partnerSec, ...line }) => {
      const stated = partnerStatus === null ? 'missing' : { status: partnerStatus, playSec: partnerSec ?? 0 };
      return { ...line, statement: compared ? stated : 'left_out' };
    });
  }
}

const lists = (connection: DedicatedConnection): ClosingLists => ({
  totals: (day) => list(connection, statements.listTotals, [day]),
  adjustments: (day) => list(connection, statements.listAdjustments, [day]),
  differenceSums: (day) => list(connection, statements.listDifferenceSums, [day]),
  differences: (day) => list(connection, statements.listDifferences, [day]),
});

type Steps = Pick<Closings, 'begin' | 'gatherLines' | 'addPartnerBillings' | 'recordTotals'>;

const uniqueViolation = '23505';
const isNoValue = (error: unknown): boolean => /^22/.test(String(sqlStateOf(error)));

/** What Postgres does not take is not plausible; each line of a billing that is named twice would count our session once more. */
const refused = (error: unknown): never => {
  const cause = { cause: error };
  if (sqlStateOf(error) === uniqueViolation)
    throw new PartnerStatementUnavailable("the partner's statement names a billing twice", cause);
  if (!isNoValue(error)) throw error;
  const why = error instanceof Error ? error.message : String(error);
  throw new PartnerStatementUnavailable(
    `a billing in the partner's statement is not plausible: ${why}`,
    cause,
  );
};

/** The steps of the transaction before the differences, each one file of SQL. */
const steps = ({ db }: DedicatedConnection): Steps => ({
  begin: async ({ day, timeZone, beginsAtMs, endsAtMs, ...closing }) => {
    const { uptoEntryNo, uptoConfirmationNo, partnerStatement } = closing;
    const watermark = [uptoEntryNo, uptoConfirmationNo];
    await query(db, statements.raiseWorkMemory);
    await query(db, statements.insertClosing, [
      ...[day, timeZone, beginsAtMs, endsAtMs, ...watermark, partnerStatement],
    ]);
    await query(db, statements.createClosingLines);
    await query(db, statements.createPartnerBillings);
  },
  gatherLines: async (day) => {
    const [scope] = await query(db, statements.findScope, [day]);
    const { beginsAt, endsAt, closedUntil, ...nos } = fromWire(statements.findScope.row, scope);
    const { closingNo, afterEntryNo, uptoEntryNo, uptoConfirmationNo } = nos;
    const upto = [uptoEntryNo, uptoConfirmationNo];
    await query(db, statements.gatherLinesOfTheDay, [beginsAt, endsAt, ...upto]);
    await query(db, statements.gatherLateLines, [closingNo, closedUntil, afterEntryNo, ...upto]);
    await query(db, statements.analyzeLines);
    const [lines] = await query(db, statements.summarizeLines);
    return fromWire(statements.summarizeLines.row, lines);
  },
  addPartnerBillings: async (billings) => {
    await query(db, statements.addPartnerBillings, [JSON.stringify(toWire(billings))]).catch(refused);
  },
  recordTotals: async (day) => {
    await query(db, statements.analyzePartnerBillings);
    await query(db, statements.recordTotals, [day]);
    await query(db, statements.recordAdjustments, [day]);
  },
});

const rowsOf = (day: string, rows: readonly object[]): string =>
  JSON.stringify(toWire(rows.map((row) => ({ day, ...row }))));

const tryLock = {
  ...{ name: 'try-closing-lock', text: 'select pg_try_advisory_xact_lock($1) as is_taken' },
  row: z.object({ is_taken: z.boolean() }),
};

const lockTimeout = '55P03';
/** Locks of tables time out by the same SQLSTATE; of this one it is known who has it. */
const anotherRuns = (error: unknown): never => {
  if (sqlStateOf(error) !== lockTimeout) throw error;
  throw unavailable(new AnotherClosingRuns('another closing runs', { cause: error }));
};

type Transact = Closings['inTransaction'];
type Locking = (connection: DedicatedConnection, transact: Transact) => Closings['withLock'];

/** Takes the lock of closings for the connection, and waits for it as long as the connection waits for locks. */
export const waitForLock: Locking =
  ({ command }) =>
  async (work) => {
    await command(`select pg_advisory_lock(${closingLock})`).catch(anotherRuns);
    const unlock = () => command(`select pg_advisory_unlock(${closingLock})`).catch(() => undefined);
    return work().finally(unlock);
  };

/**
 * Takes the lock of closings for one transaction that is rolled back, all that is done under it included, or throws RATE_LIMITED: one open day is
 * reconciled at a time, and none while a day is being closed. Nothing belongs to the connection, which a pooler may lend for a transaction.
 */
export const lockAtOnce: Locking =
  ({ db }, transact) =>
  (work) =>
    transact(
      async () => {
        const [lock] = await query(db, tryLock, [closingLock]);
        if (lock?.is_taken !== true) throw new Refusal('RATE_LIMITED', { retryAfterSec: busyRetryAfterSec });
        return work();
      },
      { commit: false },
    );

/** One transaction at a time: what is begun inside another one is a part of it, and ends with it. */
const transactions = (connection: DedicatedConnection): Transact => {
  let isOpen = false;
  return async (work, options) => {
    if (isOpen) return work();
    isOpen = true;
    return inTransaction(connection, work, options).finally(() => (isOpen = false));
  };
};

/** The closings in Postgres. The connection holds the lock and the transaction, and loses both when it breaks. */
export const postgresClosings = (connection: DedicatedConnection, lock: Locking = waitForLock): Closings => {
  const { db } = connection;
  const transact = transactions(connection);
  return {
    ...steps(connection),
    ...lists(connection),
    withLock: lock(connection, transact),
    watermark: () => readWatermark(db),
    hideClosings: async () => {
      for (const statement of hidings) await query(db, statement);
    },
    inTransaction: transact,
    // In a transaction, which bounds how long it waits.
    find: (day) =>
      transact(
        async () => {
          const [closing] = await query(db, statements.findClosing, [day]);
          return closing && fromWire(statements.findClosing.row, closing);
        },
        { commit: true },
      ),
    differingLines: (compared) => differingLines(connection, compared),
    unmatchedBillings: (day) => list(connection, statements.listUnmatchedBillings, [day]),
    recordDifferences: async (day, differences) => {
      await query(db, statements.recordDifferences, [rowsOf(day, differences)]);
    },
    recordResult: async (day, { differingSessions, sums }) => {
      await query(db, statements.recordDifferenceSums, [rowsOf(day, sums)]);
      await query(db, statements.recordResult, [day, differingSessions]);
    },
    end: () => connection.end(),
  };
};
