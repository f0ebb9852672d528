import { counters } from '#libs/runtime/metric-catalog/counters.ts';
import { gauges } from '#libs/runtime/metric-catalog/gauges.ts';
import type { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import type { nodeMetrics } from '#libs/runtime/metric-catalog/node.ts';

type Counters = typeof counters;
type Gauges = typeof gauges;
type Histograms = typeof histograms;
type Labelled = Counters & Gauges & Histograms;
type Part = 'bucket' | 'sum' | 'count';

/** A name as Prometheus has it: of a histogram its parts. */
export type MetricName =
  | keyof Counters
  | keyof Gauges
  | keyof typeof nodeMetrics
  | `${keyof Histograms}_${Part}`
  | 'nodejs_gc_duration_seconds_sum';
type BaseOf<N> = N extends `${infer H extends keyof Histograms}_${Part}` ? H : N;
type LabelOf<N extends MetricName> =
  BaseOf<N> extends keyof Labelled ? Extract<keyof Labelled[BaseOf<N>]['labels'], string> : never;

/** What a label must be: equal; `~` and a pattern; `!` and what it must not be; `!~` and a pattern. */
export type Matchers<N extends MetricName> = Readonly<
  Partial<Record<LabelOf<N> | 'service_name' | 'instance' | 'le', string>>
>;

const matcher = (label: string, wanted: string): string => {
  const [, operator = '', value = ''] = /^(!?~?)(.*)$/.exec(wanted) ?? [];
  const sign = { '': '=', '~': '=~', '!': '!=', '!~': '!~' }[operator] ?? '=';
  return `${label}${sign}"${value}"`;
};

type AnyMatchers = Readonly<Record<string, string | undefined>>;

/** One series, for a proof: as processes tell it. */
export const seriesName = (name: string, matchers: AnyMatchers): string => {
  const list = Object.entries(matchers).flatMap(([label, wanted]) =>
    wanted === undefined ? [] : [matcher(label, wanted)],
  );
  return list.length === 0 ? name : `${name}{${list.join(', ')}}`;
};

/** A whole bound: Prometheus keeps it as processes tell it, `1`, and from its version 3 on as `1.0`. */
const eitherForm = (le: string): string => (/^\d+$/.test(le) ? `~${le}([.]0)?` : le);

/** A selector in PromQL. */
export const selector = (name: string, matchers: AnyMatchers = {}): string =>
  seriesName(name, matchers['le'] === undefined ? matchers : { ...matchers, le: eitherForm(matchers['le']) });

/** A selector of a metric of ours: a name or a label that the catalogue lacks does not compile. */
export const metric = <N extends MetricName>(name: N, matchers?: Matchers<N>): string =>
  selector(name, matchers);

const measured = { ...counters, ...gauges };

/** Whether a metric is counted by game. */
export const isByGame = (name: MetricName): boolean =>
  name in measured && 'game_id' in measured[name as keyof typeof measured].labels;
