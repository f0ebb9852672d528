import { boundsOf, dayOf, daysAfter } from '../core/days.ts';
import type { Closing, Closings, PartnerStatement } from '../ports.ts';
import { findDifferences } from './find-differences.ts';

/** Farther back the log does not reach either. */
const mostStatementDays = 8;

/** What a day is closed with. Without `statement` the partner's own is left out, and the closing says so (D-29). */
export interface ClosePorts {
  readonly closings: Closings;
  readonly statement?: PartnerStatement | undefined;
  /** Told what is being done, and how far it is. */
  readonly progress: (text: string) => void;
}

/** Which day, of which zone. `keep: false` looks at it as it stands, and closes nothing. */
export interface CloseOrder {
  readonly day: string;
  readonly timeZone: string;
  readonly keep: boolean;
}

/** What is read of a closing while its transaction is open. */
export type Report<T> = (closing: Closing) => Promise<T>;

/** The days whose statements can name the sessions of a closing: a session may have begun the day before, or earlier. */
const statementDays = ({ day, timeZone }: CloseOrder, oldestStartAtMs: number | null): string[] => {
  const oldest = oldestStartAtMs === null ? day : dayOf(oldestStartAtMs, timeZone);
  const all = Array.from({ length: mostStatementDays }, (_, back) => daysAfter(day, -back));
  return all.filter((each, back) => back <= 1 || each >= oldest);
};

const takeStatements = async (
  { closings, statement, progress }: ClosePorts,
  days: readonly string[],
): Promise<void> => {
  if (statement === undefined) return;
  for (const day of days) {
    progress(`asking the partner for its statement of ${day}`);
    let count = 0;
    // One page is written while the next one is read.
    let writing = Promise.resolve();
    for await (const billings of statement(day)) {
      await writing;
      writing = closings.takeStatement(billings);
      writing.catch(() => undefined);
      count += billings.length;
    }
    await writing;
    progress(`the partner's statement of ${day}: ${count} billings`);
  }
};

const make = async (ports: ClosePorts, order: CloseOrder): Promise<void> => {
  const { closings, progress } = ports;
  const { day } = order;
  const { sessions, oldestStartAtMs } = await closings.gather(day);
  progress(`${sessions} sessions gathered`);
  await takeStatements(ports, statementDays(order, oldestStartAtMs));
  await closings.addUp(day);
  progress('totals by cafe and game written');
  progress(`${await findDifferences(ports, day)} differences found`);
};

const reported = async <T>({ closings }: ClosePorts, day: string, report: Report<T>): Promise<T> => {
  const closing = await closings.find(day);
  if (closing === undefined) throw new Error(`the closing of ${day} is not there`);
  return report(closing);
};

const readBack = <T>(ports: ClosePorts, day: string, report: Report<T>): Promise<T> =>
  ports.closings.within(() => reported(ports, day, report), true);

const closeNow = async <T>(ports: ClosePorts, order: CloseOrder, report: Report<T>): Promise<T> => {
  const { closings, statement } = ports;
  const { day, timeZone, keep } = order;
  const numbers = await closings.numbers();
  const partnerStatement = statement ? 'compared' : 'left_out';
  const inside = await closings.within(async () => {
    await closings.begin({ day, timeZone, partnerStatement, ...boundsOf(day, timeZone), ...numbers });
    await make(ports, order);
    // What is kept is reported once it is kept; what is not can be seen only now.
    return keep ? undefined : { seen: await reported(ports, day, report) };
  }, keep);
  return inside !== undefined ? inside.seen : readBack(ports, day, report);
};

/**
 * Closes a day in one transaction, while no other closing runs: killed at any moment it has done nothing, and a day that is closed is only
 * read. What is reported is what was written, so that twice gives the same (I7). Late lines become adjustments of the next closing (D-30).
 */
export const closeDay =
  (ports: ClosePorts) =>
  async <T>(order: CloseOrder, report: Report<T>): Promise<T> => {
    const { closings, progress } = ports;
    const work = async (): Promise<T> => {
      if ((await closings.find(order.day)) !== undefined) {
        progress(`${order.day} is closed already; what was written then is read`);
        return readBack(ports, order.day, report);
      }
      return closeNow(ports, order, report);
    };
    return order.keep ? closings.alone(work) : work();
  };
