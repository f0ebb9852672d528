import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { counters, gauges, histograms } from './metrics-catalog.ts';

type MetricCatalog = Readonly<Record<string, { readonly help: string; readonly labels: readonly string[] }>>;
type LabelOf<C extends MetricCatalog, N extends keyof C> = C[N]['labels'][number];

/** The metrics of one process, by their names in metrics-catalog.ts. */
export interface Metrics {
  histogram<N extends keyof typeof histograms>(name: N): Histogram<LabelOf<typeof histograms, N>>;
  counter<N extends keyof typeof counters>(name: N): Counter<LabelOf<typeof counters, N>>;
  gauge<N extends keyof typeof gauges>(name: N): Gauge<LabelOf<typeof gauges, N>>;
  /** The content type of `text()`, which is Prometheus' exposition format. */
  readonly contentType: string;
  text(): Promise<string>;
}

/** The metrics of a service: Node's default metrics, and those of metrics-catalog.ts, each registered at its first use. */
export const createMetrics = (service: string): Metrics => {
  const registry = new Registry();
  registry.setDefaultLabels({ service_name: service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const once = <T>(name: string, create: () => T): T =>
    (registry.getSingleMetric(name) as T | undefined) ?? create();
  return {
    histogram: (name) =>
      once(name, () => {
        const { help, labels, buckets } = histograms[name];
        return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers });
      }),
    counter: (name) =>
      once(name, () => {
        const { help, labels } = counters[name];
        return new Counter({ name, help, labelNames: [...labels], registers });
      }),
    gauge: (name) =>
      once(name, () => {
        const { help, labels } = gauges[name];
        return new Gauge({ name, help, labelNames: [...labels], registers });
      }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
};
