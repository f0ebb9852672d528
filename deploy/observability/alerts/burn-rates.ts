import type { Slo } from './slos.ts';
import type { Alert, Series } from './types.ts';

/** A rule that computes a series which others use. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

const windows = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;
type Window = (typeof windows)[number];

/** How fast the budget of a month burns, over a long and a short window, and what that is worth. */
const speeds: Readonly<
  Record<Alert['severity'], readonly (readonly [burn: number, long: Window, short: Window])[]>
> = {
  page: [
    [14.4, '1h', '5m'],
    [6, '6h', '30m'],
  ],
  ticket: [
    [3, '1d', '2h'],
    [1, '3d', '6h'],
  ],
};
/** An hour with fewer events than this says nothing. */
const enoughInAnHour = 100;

const environment = 'deployment_environment_name';
const summed = (of: 'rate' | 'increase', selectors: readonly string[], window: Window): string => {
  const each = selectors.map((selector) => `${of}(${selector}[${window}])`);
  return `sum by (${environment}) (${each.join(' or ')})`;
};
const per = (selectors: readonly string[], window: Window): string => summed('rate', selectors, window);
const ratioName = ({ name }: Slo, window: Window): string => `gsb:slo_${name}:error_ratio_${window}`;

const badPer = ({ all, bad, but }: Slo, window: Window): string => {
  if ('minus' in bad) return `(${per(all, window)} - ${per(bad.minus, window)})`;
  const ofAnybody = `(${per(bad, window)} or 0 * ${per(all, window)})`;
  return but === undefined ? ofAnybody : `clamp_min(${ofAnybody} - ${per(but, window)}, 0)`;
};

/** The share of bad events over each window. */
export const recordings = (slo: Slo): Recording[] =>
  windows.map((window) => ({
    record: ratioName(slo, window),
    expr: `${badPer(slo, window)} / (${per(slo.all, window)} > 0)`,
  }));

const burning = (slo: Slo, severity: Alert['severity']): string => {
  const each = speeds[severity].map(([burn, long, short]) => {
    const limit = Number((burn * (1 - slo.objective)).toFixed(6));
    return `(${ratioName(slo, long)} > ${limit} and ${ratioName(slo, short)} > ${limit})`;
  });
  const volume = `${summed('increase', slo.all, '1h')} > ${enoughInAnHour}`;
  return `(${each.join(' or ')}) and ${volume}`;
};

const resting = (failing: Series): Series =>
  Object.fromEntries(
    Object.entries(failing).map(([selector, values]) => {
      const isBad = /"503"|within="later"/.test(selector);
      return [selector, isBad ? '0x500' : values.replace('0+800', '0+1000')];
    }),
  );

const percent = (share: number): string => `${Number((share * 100).toFixed(3))} %`;

const alertOf = (slo: Slo, severity: Alert['severity']): Alert => ({
  name: slo.alert,
  severity,
  owner: slo.owner,
  expr: burning(slo, severity),
  summary:
    severity === 'page'
      ? `Too few ${slo.what}: a month’s error budget is gone within days.`
      : `Too few ${slo.what}: the error budget of the month will not last.`,
  board: slo.board,
  runbook: {
    meaning: `${percent(slo.objective)} are to be good: ${slo.what}. A page: 2 % of the month’s error budget went in an hour, or 5 % in six; a ticket: 10 % in a day or three.`,
    impact: slo.whenItBurns,
    diagnosis: slo.diagnosis,
    mitigation: [
      'Look for an alert of a cause beside this one (Redis, Kafka, partner, a service that is absent) and follow its runbook.',
      'Without one: roll back what was rolled out last.',
    ],
  },
  proof: { firing: slo.failing, resting: slo.resting ?? resting(slo.failing), afterMin: 120 },
});

/** The alerts of an SLO: one that wakes, one that waits. */
export const burnRateAlerts = (slo: Slo): Alert[] => [alertOf(slo, 'page'), alertOf(slo, 'ticket')];
