import { isByGame, selector } from '../metric.ts';
import type { Matchers, MetricName } from '../metric.ts';

const window = '$__rate_interval';

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

/** How many in the time that the board shows. */
export const inRange = <N extends MetricName>(name: N, by = '', matchers?: Matchers<N>): string =>
  aggregated(by, `increase(${scoped(name, matchers)}[$__range])`);

/** A quantile of a histogram, by labels. */
export const quantile = <N extends MetricName & `${string}_bucket`>(
  q: number,
  name: N,
  by = '',
  matchers?: Matchers<N>,
): string => {
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${q}, sum by (${labels}) (rate(${scoped(name, matchers)}[${window}])))`;
};

/** One as a share of the other; 1 where the other is nothing, for nobody was disappointed. */
export const share = (good: string, all: string): string => `((${good}) / (${all} > 0)) or vector(1)`;

/** A value, and 0 where there is no series. */
export const orZero = (expr: string): string => `(${expr}) or vector(0)`;
