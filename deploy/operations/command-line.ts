import { calendarDay } from '#libs/contracts/api/settlement.ts';
import { dayOf, daysAfter } from '../../services/settlement/core/days.ts';

/** The command was not as its help says; told in one line, without a stack. */
export class Misuse extends Error {
  override readonly name = 'Misuse';
}

/** How the commands of settlement end. */
export const exitCodes = { done: 0, failed: 1, misused: 2, statementAway: 3, busy: 4 } as const;

/** Prints to stderr: stdout is for results alone. */
export const tell = (text: string): void => void process.stderr.write(`${text}\n`);

/** Reads the options of a command line; what does not parse is a Misuse. */
export const orMisuse = <T>(parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    throw new Misuse((error as Error).message.split(/\.\s/)[0] ?? 'the options are not as the help says');
  }
};

/** The day that was asked for, `today` and `yesterday` included. Throws Misuse. */
export const dayAsked = (given: string | undefined, nowMs: number, timeZone: string): string => {
  if (given === undefined) throw new Misuse('say which day: --day 2026-11-20, or --day yesterday');
  const today = dayOf(nowMs, timeZone);
  if (given === 'today') return today;
  if (given === 'yesterday') return daysAfter(today, -1);
  if (!calendarDay.safeParse(given).success)
    throw new Misuse('--day must be a calendar day such as 2026-11-20, today or yesterday');
  return given;
};
