import { Registry } from 'prom-client';
import type { Metric, RegistryContentType } from 'prom-client';

/** As prom-client hands a metric to its own text formats; its types do not tell. */
interface Formatted {
  readonly name: string;
}
interface Formattable {
  readonly name: string;
  readonly type?: unknown;
  get(): Promise<Formatted>;
  getForPromString?(): Promise<Formatted>;
}

/** OpenMetrics has the name of a counter without what its samples end with; prom-client would rename the counter itself, for good. */
const renamed = (counter: Formattable) => ({
  name: counter.name,
  getForPromString: async () => {
    const formatted = await (counter.getForPromString?.() ?? counter.get());
    return { ...formatted, name: formatted.name.replace(/_total$/, '') };
  },
});

/** The metrics of a registry in the format OpenMetrics, which has exemplars. */
export const openMetricsText = (registry: Registry, labels: object): Promise<string> => {
  const formatter: Registry<RegistryContentType> = new Registry();
  formatter.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  formatter.setDefaultLabels(labels);
  for (const metric of registry.getMetricsAsArray() as unknown as Formattable[])
    formatter.registerMetric((metric.type === 'counter' ? renamed(metric) : metric) as unknown as Metric);
  return formatter.metrics();
};

/** What the format is called, in `Accept` and `Content-Type`. */
export const openMetricsType = Registry.OPENMETRICS_CONTENT_TYPE;

/** Whether a scraper takes it; others get Prometheus' older format. */
export const takesOpenMetrics = (accept = ''): boolean => accept.includes('application/openmetrics-text');
