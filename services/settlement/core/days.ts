const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** No place on earth is further from UTC. */
const furthestMs = 15 * hourMs;

/** A calendar day of a time zone (D-31), in ms since the epoch: from the first instant of it, up to the first of the next. */
export interface Bounds {
  readonly beginsAtMs: number;
  readonly endsAtMs: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  formats.set(zone, known);
  return known;
};

/** Whether a time zone is one that we know, as in `Asia/Seoul`. */
export const isTimeZone = (zone: string): boolean => {
  try {
    return formatOf(zone) !== undefined;
  } catch {
    return false;
  }
};

/** The calendar day of an instant, `YYYY-MM-DD`. */
export const dayOf = (instantMs: number, zone: string): string => formatOf(zone).format(instantMs);

/** The day so many days after another; negative for before. */
export const daysAfter = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);

/** The first instant of a day: some zones skip midnight once a year, so it is searched for and not reckoned. */
const beginningOf = (day: string, zone: string): number => {
  let before = Date.parse(day) - furthestMs;
  let at = Date.parse(day) + furthestMs;
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (dayOf(middle, zone) < day) before = middle;
    else at = middle;
  }
  return at;
};

/** When a day of a time zone begins and ends. */
export const boundsOf = (day: string, zone: string): Bounds => ({
  beginsAtMs: beginningOf(day, zone),
  endsAtMs: beginningOf(daysAfter(day, 1), zone),
});
