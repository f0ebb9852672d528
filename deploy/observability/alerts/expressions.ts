import type { ServiceName } from '#libs/contracts/topics.ts';
import { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import { selector, seriesName } from '../metric.ts';
import type { Matchers, MetricName } from '../metric.ts';
import type { Series } from './types.ts';

/** Several environments may report to one Prometheus: each is judged by itself. */
const environment = 'deployment_environment_name';
const labels = (by: string): string => (by === '' ? environment : `${environment}, ${by}`);

/** How many in a window, in each environment and by labels. */
export const increased = <N extends MetricName>(
  name: N,
  window: string,
  matchers?: Matchers<N>,
  by = '',
): string => `sum by (${labels(by)}) (increase(${selector(name, matchers)}[${window}]))`;

/** How many in a window of the process that counted most, and how many processes counted, in each environment and by labels. */
export const ofEachProcess = (of: 'max' | 'count', name: MetricName, window: string, by: string): string =>
  `${of} by (${labels(by)}) (increase(${selector(name)}[${window}]))`;

/** How many a second in a window. */
export const rated = <N extends MetricName>(
  name: N,
  window: string,
  matchers?: Matchers<N>,
  by = '',
): string => `sum by (${labels(by)}) (rate(${selector(name, matchers)}[${window}]))`;

/** A quantile in a window. */
export const quantile = <N extends MetricName & `${string}_bucket`>(
  q: number,
  name: N,
  window: string,
  { by = '', matchers }: { by?: string; matchers?: Matchers<N> } = {},
): string => {
  const kept = by === '' ? `${environment}, le` : `${environment}, ${by}, le`;
  return `histogram_quantile(${q}, sum by (${kept}) (rate(${selector(name, matchers)}[${window}])))`;
};

/** The highest or lowest value of a gauge now. */
export const extreme = <N extends MetricName>(
  of: 'max' | 'min',
  name: N,
  matchers?: Matchers<N>,
  by = '',
): string => `${of} by (${labels(by)}) (${selector(name, matchers)})`;

/** A series for a proof. */
export const series = <N extends MetricName>(name: N, matchers: Matchers<N>, values: string): Series => ({
  [seriesName(name, matchers)]: values,
});

/** Proofs of an alert on a counter that should not count: it fires when it counts `by` a minute, and rests while it does not. */
export const counting = <N extends MetricName>(name: N, matchers: Matchers<N>, by = 5) => ({
  firing: { [seriesName(name, matchers)]: `0x5 0+${by}x60` },
  resting: { [seriesName(name, matchers)]: '7x66' },
  afterMin: 20,
});

/** The buckets of a histogram of which all observations, one a second, fall into the one that ends at a bound. */
export const observed = <H extends keyof typeof histograms>(
  histogram: H,
  labels: Matchers<`${H}_bucket`>,
  bound: (typeof histograms)[H]['buckets'][number],
): Series =>
  Object.fromEntries(
    [...histograms[histogram].buckets, Infinity].map((le) => [
      seriesName(`${histogram}_bucket`, { ...labels, le: le === Infinity ? '+Inf' : String(le) }),
      le >= bound ? '0+60x66' : '0x66',
    ]),
  );

const opsOf = (service: ServiceName): string => `$OPS_${service.toUpperCase().replace('-', '_')}`;

/** A command that shows what a service measures. */
export const look = (service: ServiceName, beginning: string): string =>
  `\`curl -s ${opsOf(service)}/metrics | grep '^${beginning}'\``;

/** A command that tells what a service waits for. */
export const ready = (service: ServiceName): string => `\`curl -s ${opsOf(service)}/health/ready\``;

/** The ops port of a service, as runbooks name it. */
export const ops = opsOf;
