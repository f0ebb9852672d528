import { boundsOf, dayOf, daysAfter } from '../core/days.ts';
import { findDifferences } from './find-differences.ts';
import type { Closing, ClosingPorts } from './ports.ts';

const everything = { uptoEntryNo: Number.MAX_SAFE_INTEGER, uptoConfirmationNo: Number.MAX_SAFE_INTEGER };
/** The log does not reach back farther either. */
const maxStatementDays = 8;

/** Which day of which time zone. Without `commit` the day is closed for the report only, beside the closings. */
export interface CloseRequest {
  readonly day: string;
  readonly timeZone: string;
  readonly commit: boolean;
}

/** Reads a closing inside its transaction. */
export type Report<T> = (closing: Closing) => Promise<T>;

/** The days of the partner's statements that can name the sessions of a closing: a session may have begun the day before, or earlier. */
const statementDays = ({ day, timeZone }: CloseRequest, oldestStartAtMs: number | null): string[] => {
  const oldest = oldestStartAtMs === null ? day : dayOf(oldestStartAtMs, timeZone);
  const all = Array.from({ length: maxStatementDays }, (_, back) => daysAfter(day, -back));
  return all.filter((each, back) => back <= 1 || each >= oldest);
};

const addPartnerStatements = async (
  { closings, readPartnerStatement, progress }: ClosingPorts,
  days: readonly string[],
): Promise<void> => {
  if (readPartnerStatement === undefined) return;
  for (const day of days) {
    progress(`asking the partner for its statement of ${day}`);
    let count = 0;
    // Billings are written to Postgres while the next ones are read.
    let writing = Promise.resolve();
    for await (const billings of readPartnerStatement(day)) {
      await writing;
      writing = closings.addPartnerBillings(billings);
      writing.catch(() => undefined);
      count += billings.length;
    }
    await writing;
    progress(`the partner's statement of ${day}: ${count} billings`);
  }
};

const reportOn = async <T>({ closings }: ClosingPorts, day: string, report: Report<T>): Promise<T> => {
  const closing = await closings.find(day);
  if (closing === undefined) throw new Error(`the closing of ${day} is not there`);
  return report(closing);
};

const readBack = <T>(ports: ClosingPorts, day: string, report: Report<T>): Promise<T> =>
  ports.closings.inTransaction(() => reportOn(ports, day, report), { commit: true });

const fillClosing = async (ports: ClosingPorts, request: CloseRequest): Promise<void> => {
  const { closings, progress } = ports;
  const { day } = request;
  const { sessions, oldestStartAtMs } = await closings.gatherLines(day);
  progress(`${sessions} sessions gathered`);
  await addPartnerStatements(ports, statementDays(request, oldestStartAtMs));
  await closings.recordTotals(day);
  progress('totals by cafe and game written');
  progress(`${await findDifferences(ports, day)} differences found`);
};

const closeOpenDay = async <T>(ports: ClosingPorts, request: CloseRequest, report: Report<T>): Promise<T> => {
  const { closings, readPartnerStatement } = ports;
  const { day, timeZone, commit } = request;
  // What is rolled back counts what its transaction sees: it needs no number, for which the ledger's writers would have to wait.
  const watermark = commit ? await closings.watermark() : everything;
  const partnerStatement = readPartnerStatement ? 'compared' : 'left_out';
  const previewed = await closings.inTransaction(
    async () => {
      if (!commit) await closings.hideClosings();
      await closings.begin({ day, timeZone, partnerStatement, ...boundsOf(day, timeZone), ...watermark });
      await fillClosing(ports, request);
      return commit ? undefined : { report: await reportOn(ports, day, report) };
    },
    { commit },
  );
  // A closing is reported once it is committed; what is rolled back could be read only before.
  return previewed ? previewed.report : readBack(ports, day, report);
};

/**
 * Closes a day in one transaction, while no other closing is made: killed at any moment, it has closed nothing. A day that is closed already
 * is only read: closed twice, it is reported with the same content (I7). Late sessions become adjustments of the next closing (D-30).
 * Rejects PartnerStatementUnavailable, UNAVAILABLE when Postgres is away or another closing does not end in time, or as `withLock` does.
 */
export const closeDay =
  (ports: ClosingPorts) =>
  async <T>(request: CloseRequest, report: Report<T>): Promise<T> => {
    const { closings, progress } = ports;
    const { day } = request;
    const work = async (): Promise<T> => {
      if ((await closings.find(day)) === undefined) return closeOpenDay(ports, request, report);
      progress(`${day} is closed already; what was written then is read`);
      return readBack(ports, day, report);
    };
    return closings.withLock(work);
  };
