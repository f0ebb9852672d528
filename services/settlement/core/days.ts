const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** No time zone is further from UTC. */
const maxOffsetMs = 15 * hourMs;

/** A calendar day of a time zone (D-31): its first instant, and the first of the next day, in ms since the epoch. */
export interface DayBounds {
  readonly beginsAtMs: number;
  readonly endsAtMs: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  formats.set(zone, known);
  return known;
};

/** Whether this is the name of a time zone, such as `Asia/Seoul`. */
export const isTimeZone = (zone: string): boolean => {
  try {
    return formatOf(zone) !== undefined;
  } catch {
    return false;
  }
};

/** The calendar day of an instant, `YYYY-MM-DD`. */
export const dayOf = (instantMs: number, zone: string): string => formatOf(zone).format(instantMs);

/** The day `count` days after another, or before it when negative. */
export const daysAfter = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);

/** The first instant of a day, by binary search: some zones skip midnight once a year, so it cannot be computed. */
const beginningOf = (day: string, zone: string): number => {
  let before = Date.parse(day) - maxOffsetMs;
  let at = Date.parse(day) + maxOffsetMs;
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (dayOf(middle, zone) < day) before = middle;
    else at = middle;
  }
  return at;
};

/** The bounds of a calendar day of a time zone. */
export const boundsOf = (day: string, zone: string): DayBounds => ({
  beginsAtMs: beginningOf(day, zone),
  endsAtMs: beginningOf(daysAfter(day, 1), zone),
});
