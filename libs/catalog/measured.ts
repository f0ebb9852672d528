import type { Metrics } from '#libs/runtime/metrics.ts';
import type { CatalogSource } from './catalog-objects.ts';

/** The objects of a catalog; whoever scrapes is told how many are refused. */
export const measured = (source: CatalogSource, metrics: Metrics): CatalogSource => {
  const gauge = metrics.gauge('gsb_catalog_refused_objects');
  metrics.beforeText(() => {
    for (const [kind, count] of Object.entries(source.refused())) gauge.set({ kind }, count);
  });
  return source;
};
