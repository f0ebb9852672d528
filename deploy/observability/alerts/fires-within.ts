import type { Alert } from './types.ts';

const minutes: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1_440 };
const inMin = ([, count, unit]: RegExpMatchArray): number => Number(count) * (minutes[unit ?? ''] ?? 0);
const longest = (found: Iterable<RegExpMatchArray>): number => Math.max(0, ...[...found].map(inMin));

/** A burn rate looks at an hour, but a fault that hits everybody has used up that hour's share within its short window. */
const shortWindowMin = 5;
/** A scrape, an evaluation and the way through Alertmanager. */
const onTheWayMin = 1;

/** How far back one looks for what is there no more, and what has to happen beside: no times that a fault has to last. */
const noDelay = /last_over_time\([^)]*\)| and \(.*$/g;

/** After how many minutes an alert is told at the latest, once its fault shows in full: its longest window, and how long it must last. */
export const firesWithinMin = ({ expr, for: lasting = '0s' }: Alert): number => {
  const isBurnRate = expr.includes('gsb:slo_');
  const window = isBurnRate
    ? shortWindowMin
    : longest(expr.replaceAll(noDelay, '').matchAll(/\[(\d+)([smhd])\]/g));
  return Math.ceil(window + longest(lasting.matchAll(/(\d+)([smhd])/g)) + onTheWayMin);
};
