import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { counters } from './metric-catalog/counters.ts';
import { gauges } from './metric-catalog/gauges.ts';
import { histograms } from './metric-catalog/histograms.ts';
import type { LabelValues, Metric } from './metric-catalog/labels.ts';

type Catalog = Readonly<Record<string, Metric>>;
type LabelOf<C extends Catalog, N extends keyof C> = Extract<keyof C[N]['labels'], string>;

/** The metrics of one process, by their names in metric-catalog/. */
export interface Metrics {
  histogram<N extends keyof typeof histograms>(name: N): Histogram<LabelOf<typeof histograms, N>>;
  counter<N extends keyof typeof counters>(name: N): Counter<LabelOf<typeof counters, N>>;
  gauge<N extends keyof typeof gauges>(name: N): Gauge<LabelOf<typeof gauges, N>>;
  /** Names the games of the catalog, for each of which the counters begin at 0 too. */
  ofGames(ids: () => readonly string[]): void;
  /** Called before each `text()`: for gauges that are read where they are. */
  beforeText(read: () => void): void;
  /** The content type of `text()`, which is Prometheus' exposition format. */
  readonly contentType: string;
  text(): Promise<string>;
}

/** The values that are known; none where a pattern is all that is known. */
const known = (values: LabelValues, service: string, games: readonly string[]): readonly string[] => {
  if (values === 'games') return games;
  if (typeof values === 'function') return values(service);
  return values instanceof RegExp ? [] : values;
};

/** Every combination of the labels' values. */
const combinations = (labels: readonly (readonly [string, readonly string[]])[]) =>
  labels.reduce<Record<string, string>[]>(
    (all, [name, values]) => all.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  );

const createCounters = (registry: Registry, service: string) => {
  const seenGames = new Set<string>();
  const registered = new Map<string, Counter>();
  const counter = (name: keyof typeof counters): Counter => {
    const existing = registered.get(name);
    if (existing) return existing;
    const { help, labels } = counters[name];
    const created = new Counter({ name, help, labelNames: Object.keys(labels), registers: [registry] });
    registered.set(name, created);
    return created;
  };
  /** All counters of this service at 0: without it the first event of a kind would be the first value of a series, and no increase. */
  const beginAtZero = (games: readonly string[]): void => {
    for (const [name, { labels, emittedBy }] of Object.entries<Metric>(counters)) {
      const isOurs = emittedBy.some((each) => each === service);
      const isNew = games.length === 0 || Object.values(labels).includes('games');
      if (!isOurs || !isNew) continue;
      const domains = Object.entries(labels).map(
        ([label, values]) => [label, known(values, service, games)] as const,
      );
      for (const each of combinations(domains)) counter(name as keyof typeof counters).inc(each, 0);
    }
  };
  return {
    counter,
    beginAtZero,
    beginGames: (ids: readonly string[]): void => {
      const fresh = ids.filter((id) => !seenGames.has(id));
      fresh.forEach((id) => seenGames.add(id));
      if (fresh.length > 0) beginAtZero(fresh);
    },
  };
};

/** The metrics of a service: Node's default metrics, and those of metric-catalog/; its counters are there from the start, the others from their first use. */
export const createMetrics = (service: string): Metrics => {
  const registry = new Registry();
  registry.setDefaultLabels({ service_name: service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const once = <T>(name: string, create: () => T): T =>
    (registry.getSingleMetric(name) as T | undefined) ?? create();
  const { counter, beginAtZero, beginGames } = createCounters(registry, service);
  const reads: (() => void)[] = [];
  beginAtZero([]);
  return {
    histogram: (name) =>
      once(name, () => {
        const { help, labels, buckets } = histograms[name];
        return new Histogram({
          name,
          help,
          labelNames: Object.keys(labels),
          buckets: [...buckets],
          registers,
        });
      }),
    counter,
    gauge: (name) =>
      once(name, () => {
        const { help, labels } = gauges[name];
        return new Gauge({ name, help, labelNames: Object.keys(labels), registers });
      }),
    ofGames: (ids) => void reads.push(() => beginGames(ids())),
    beforeText: (read) => void reads.push(read),
    contentType: registry.contentType,
    text: () => {
      for (const read of reads) read();
      return registry.metrics();
    },
  };
};
