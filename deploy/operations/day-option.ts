import { calendarDay } from '#libs/contracts/api/settlement.ts';
import { dayOf, daysAfter } from '../../services/settlement/core/days.ts';
import { Misuse } from './command-line.ts';

/** A day as an audit may name it. */
export const auditedDay = { day: /^(today|yesterday|\d{4}-\d{2}-\d{2})$/ } as const;

/** The calendar day that --day names: `today` and `yesterday` are those of the time zone. Throws Misuse. */
export const readDay = (given: string | undefined, timeZone: string): string => {
  if (given === undefined) throw new Misuse('say which day: --day 2026-11-20, or --day yesterday');
  const today = dayOf(Date.now(), timeZone);
  if (given === 'today') return today;
  if (given === 'yesterday') return daysAfter(today, -1);
  if (!calendarDay.safeParse(given).success)
    throw new Misuse('--day must be a calendar day such as 2026-11-20, today or yesterday');
  return given;
};
