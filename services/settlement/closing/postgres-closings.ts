import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { unavailable } from '#libs/contracts/errors.ts';
import { fromWire, toWire } from '#libs/contracts/wire.ts';
import type { Camel } from '#libs/contracts/wire.ts';
import { pages } from '#libs/postgres/cursor-pages.ts';
import { inTransaction } from '#libs/postgres/dedicated-connection.ts';
import type { DedicatedConnection } from '#libs/postgres/dedicated-connection.ts';
import { tolerances } from './differences.ts';
import type { Candidate, Closings, Listed, NewClosing } from '../ports.ts';
import { closingRow, lists, numbersRow, statements } from './closing-statements.ts';

const pageSize = 500;
/** The two joins over a day's lines stay in memory; it is Postgres' memory, and given back with the transaction. */
const workMemory = "set local work_mem = '64MB'";
/** Any number will do as long as nothing else takes it. */
const closingLock = 5_120_207;

async function* read<S extends z.ZodType>(
  session: DedicatedConnection,
  { name, file, row }: { name: string; file: URL; row: S },
  params: readonly unknown[],
): AsyncGenerator<Camel<z.output<S>>[]> {
  const text = readFileSync(file, 'utf8');
  for await (const page of pages(session, { name, text, params, row: z.unknown(), size: pageSize }))
    yield page.map((each) => fromWire(row, each));
}

const listed = (session: DedicatedConnection): Listed => ({
  totals: (day) => read(session, lists.totals, [day]),
  adjustments: (day) => read(session, lists.adjustments, [day]),
  differenceSums: (day) => read(session, lists.differenceSums, [day]),
  differences: (day) => read(session, lists.differences, [day]),
});

async function* candidates(session: DedicatedConnection, compared: boolean): AsyncGenerator<Candidate[]> {
  const { clientAgreeSec, clientAgreeShare } = tolerances;
  const params = [clientAgreeSec, clientAgreeShare, compared];
  for await (const page of read(session, lists.candidates, params)) {
    yield page.map(({ partnerStatus, partnerSec, ...line }) => {
      const stated = partnerStatus === null ? 'missing' : { status: partnerStatus, playSec: partnerSec ?? 0 };
      return { ...line, statement: compared ? stated : 'left_out' };
    });
  }
}

/** Every line up to these numbers has been committed: who writes one just now is waited for, and whoever comes waits a moment. */
const numbersOf =
  ({ db, command }: DedicatedConnection): Closings['numbers'] =>
  async () => {
    await command('begin');
    try {
      await command('lock table entries, confirmations in share mode');
      const [numbers] = await statements.numbers(db, []);
      if (numbers === undefined) throw new Error('numbers.sql always answers');
      return fromWire(numbersRow, numbers);
    } finally {
      await command('rollback').catch(() => undefined);
    }
  };

const beginIn =
  ({ db, command }: DedicatedConnection): Closings['begin'] =>
  async (closing: NewClosing) => {
    const { day, timeZone, beginsAtMs, endsAtMs, partnerStatement } = closing;
    const numbers = [closing.afterEntryNo, closing.uptoEntryNo, closing.uptoConfirmationNo];
    await command(workMemory);
    await statements.begin(db, [day, timeZone, beginsAtMs, endsAtMs, ...numbers, partnerStatement]);
    await statements.createLines(db, []);
    await statements.createPartnerBillings(db, []);
  };

const gatherIn =
  ({ db, command }: DedicatedConnection): Closings['gather'] =>
  async (day) => {
    await statements.gatherLines(db, [day]);
    await statements.gatherLateLines(db, [day]);
    await command('analyze closing_lines');
    const [found] = await statements.oldestStart(db, []);
    return { sessions: found?.sessions ?? 0, oldestStartAtMs: found?.oldest_start_at_ms ?? null };
  };

const aloneIn =
  ({ command }: DedicatedConnection): Closings['alone'] =>
  async (work) => {
    await command(`select pg_advisory_lock(${closingLock})`).catch((error: unknown) => {
      throw unavailable(error);
    });
    return work().finally(() => command(`select pg_advisory_unlock(${closingLock})`).catch(() => undefined));
  };

/** The closings, over a session of their own: its connection holds the lock and the transaction, and gives both back when it breaks. */
export const postgresClosings = (session: DedicatedConnection): Closings => {
  const { db, command } = session;
  return {
    ...listed(session),
    alone: aloneIn(session),
    numbers: numbersOf(session),
    within: (work, keep) => inTransaction(session, work, { keep }),
    find: async (day) => {
      const [row] = await statements.find(db, [day]);
      return row && fromWire(closingRow, row);
    },
    begin: beginIn(session),
    gather: gatherIn(session),
    takeStatement: async (billings) => {
      await statements.takePartnerBillings(db, [JSON.stringify(toWire(billings))]);
    },
    addUp: async (day) => {
      await command('analyze partner_billings');
      await statements.recordTotals(db, [day]);
      await statements.recordAdjustments(db, [day]);
    },
    candidates: (compared) => candidates(session, compared),
    strays: (day) => read(session, lists.strays, [day]),
    recordDifferences: async (day, found) => {
      await statements.recordDifferences(db, [day, JSON.stringify(toWire(found))]);
    },
    recordResult: async (day, { differingSessions, sums }) => {
      await statements.recordDifferenceSums(db, [day, JSON.stringify(toWire(sums))]);
      await statements.recordResult(db, [day, differingSessions]);
    },
    end: () => session.end(),
  };
};
