import type { gauges } from '#libs/runtime/metric-catalog/gauges.ts';
import type { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import { isByGame, selector } from '../metric.ts';
import type { Matchers, MetricName } from '../metric.ts';

const window = '$__rate_interval';

/** A gauge that says when something happened last. */
type Moment = Extract<keyof typeof gauges, `${string}_timestamp_seconds`>;

type AnyMatchers = Readonly<Record<string, string | undefined>>;

const scoped = (name: MetricName, matchers: AnyMatchers = {}): string =>
  selector(name, {
    ...matchers,
    deployment_environment_name: '~$environment',
    ...(isByGame(name) && { game_id: '~$game' }),
  });

/** A selector of a board: of the chosen environment and, where the metric is counted by game, of the chosen games. */
export const of = <N extends MetricName>(name: N, matchers?: Matchers<N>): string => scoped(name, matchers);

const aggregated = (by: string, inner: string): string =>
  by === '' ? `sum(${inner})` : `sum by (${by}) (${inner})`;

/** How many a second, summed up by labels. */
export const perSecond = <N extends MetricName>(name: N, by = '', matchers?: Matchers<N>): string =>
  aggregated(by, `rate(${scoped(name, matchers)}[${window}])`);

/** How many a second of several selectors together, whose series have no labels in common. */
export const anyPerSecond = (selectors: readonly string[]): string =>
  aggregated('', selectors.map((selector) => `rate(${selector}[${window}])`).join(' or '));

/**
 * As `perSecond`, of those labels alone that counted in the time that the board shows: every counter begins at 0 for all of its labels, and a
 * legend of what did not happen is one that nobody reads.
 */
export const happening = <N extends MetricName>(name: N, by: string, matchers?: Matchers<N>): string => {
  const counter = scoped(name, matchers);
  const inAll = aggregated(by, `increase(${counter}[$__range] @ end())`);
  return `${aggregated(by, `rate(${counter}[${window}])`)} and ${inAll} > 0`;
};

/** The highest value of a gauge by labels, of those that were ever above 0 in the time that the board shows. */
export const highestOf = (name: MetricName, by: string): string => {
  const gauge = scoped(name);
  return `max by (${by}) (${gauge}) and max by (${by}) (max_over_time(${gauge}[$__range] @ end())) > 0`;
};

/** How many in the time that the board shows. */
export const inRange = <N extends MetricName>(name: N, by = '', matchers?: Matchers<N>): string =>
  aggregated(by, `increase(${scoped(name, matchers)}[$__range])`);

const quantileOf = (q: number, buckets: string, by: string): string =>
  `histogram_quantile(${q}, sum by (${by === '' ? 'le' : `le, ${by}`}) (rate(${buckets}[${window}])))`;

/** A quantile of a histogram, by labels. */
export const quantile = <N extends MetricName & `${string}_bucket`>(
  q: number,
  name: N,
  by = '',
  matchers?: Matchers<N>,
): string => quantileOf(q, scoped(name, matchers), by);

/** The p99 of the few labels where it is highest; those of which there was nothing lately are none of them. */
export const slowest = <N extends `${keyof typeof histograms}_bucket`>(
  count: number,
  name: N,
  by: string,
  matchers?: Matchers<N>,
): string => `topk(${count}, ${quantileOf(0.99, scoped(name, matchers), by)} > 0)`;

/** One as a share of the other; nothing where the other is nothing: no calls may mean that nobody gets through to us. */
export const share = (good: string, all: string): string => `(${good}) / (${all} > 0)`;

/**
 * How long ago something had happened when it was asked, by labels, of a gauge that says when: without the time since that scrape. Of a
 * process in which it has not happened yet the gauge is 0, and there is nothing to tell.
 */
export const sinceThen = (name: Moment, by: string): string =>
  `clamp_min(min by (${by}) (timestamp(${scoped(name)}) - (${scoped(name)} > 0)), 0)`;

/** A selector of all games, whichever are chosen: to compare with what is not counted by game. */
export const ofAllGames = (name: MetricName): string =>
  selector(name, { deployment_environment_name: '~$environment' });

/** A value, and 0 where there is no series. */
export const orZero = (expr: string): string => `(${expr}) or vector(0)`;
