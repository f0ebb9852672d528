import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { measureEventLoopLag } from './event-loop-lag.ts';
import { nameTraces } from './exemplars.ts';
import { counters } from './metric-catalog/counters.ts';
import { gauges } from './metric-catalog/gauges.ts';
import { histograms } from './metric-catalog/histograms.ts';
import { openMetricsText, openMetricsType, takesOpenMetrics } from './open-metrics.ts';
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
  /** Called before each `text()` or `page()`: for gauges that are read where they are. */
  beforeText(read: () => void): void;
  /** All values in Prometheus' exposition format. */
  text(): Promise<string>;
  /** All values in the format that a scraper accepts: OpenMetrics, with exemplars, or Prometheus' own. */
  page(accept: string | undefined): Promise<{ readonly contentType: string; readonly body: string }>;
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

/** prom-client lets no histogram with exemplars into a registry of the older format itself; that format leaves them out. */
const createHistogram = <N extends keyof typeof histograms>(
  registry: Registry,
  name: N,
): Histogram<LabelOf<typeof histograms, N>> => {
  const { help, labels, buckets, ...more } = histograms[name];
  const labelNames = Object.keys(labels) as LabelOf<typeof histograms, N>[];
  const enableExemplars = 'exemplars' in more;
  const created = new Histogram({
    name,
    help,
    labelNames,
    buckets: [...buckets],
    enableExemplars,
    registers: [],
  });
  if (enableExemplars) nameTraces(created);
  registry.registerMetric(created);
  return created;
};

/** prom-client would sample the lag of the event loop so often, in ms. It is measured otherwise (event-loop-lag.ts): it need not at all. */
const lagPrecisionMs = 2 ** 31 - 1;

/** The metrics of a service: Node's default metrics, and those of metric-catalog/; its counters are there from the start, the others from their first use. */
export const createMetrics = (service: string): Metrics => {
  const registry = new Registry();
  const defaultLabels = { service_name: service };
  registry.setDefaultLabels(defaultLabels);
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagPrecisionMs });
  const registers = [registry];
  const once = <T>(name: string, create: () => T): T =>
    (registry.getSingleMetric(name) as T | undefined) ?? create();
  const { counter, beginAtZero, beginGames } = createCounters(registry, service);
  const reads: (() => void)[] = [measureEventLoopLag(registry)];
  const readAll = (): void => reads.forEach((read) => read());
  const text = (): Promise<string> => {
    readAll();
    return registry.metrics();
  };
  beginAtZero([]);
  return {
    histogram: (name) => once(name, () => createHistogram(registry, name)),
    counter,
    gauge: (name) =>
      once(name, () => {
        const { help, labels } = gauges[name];
        return new Gauge({ name, help, labelNames: Object.keys(labels), registers });
      }),
    ofGames: (ids) => void reads.push(() => beginGames(ids())),
    beforeText: (read) => void reads.push(read),
    text,
    page: async (accept) => {
      if (!takesOpenMetrics(accept)) return { contentType: registry.contentType, body: await text() };
      readAll();
      return { contentType: openMetricsType, body: await openMetricsText(registry, defaultLabels) };
    },
  };
};
