import type { Clock } from '#libs/kernel/clock.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { CatalogObject, CatalogSource } from './catalog-objects.ts';

/** Kinds of objects whose keys have an end; a launcher key has none. */
const expiring = ['Game', 'Operator'] as const;

/** When the last key of an object ends: never for one that has no end, and for an object without keys. */
const lastEndMs = (object: CatalogObject): number => {
  if (object.kind === 'Secret') return Infinity;
  const ends = object.spec.keys.map(({ notAfter }) => (notAfter ? Date.parse(notAfter) : Infinity));
  return ends.length === 0 ? Infinity : Math.max(...ends);
};

/** When the first object of a kind is left without a valid key, in seconds since 1970; 0: none will be. Those that are so already have been told. */
export const keysRunOutAt = (
  objects: readonly CatalogObject[],
  kind: (typeof expiring)[number],
  nowMs: number,
): number => {
  const ends = objects.filter((object) => object.kind === kind).map(lastEndMs);
  const nextMs = Math.min(...ends.filter((ms) => ms > nowMs));
  return nextMs === Infinity ? 0 : nextMs / 1000;
};

/** The objects of a catalog; whoever scrapes is told how many are refused, and when somebody is left without a key. */
export const measured = (source: CatalogSource, metrics: Metrics, clock: Clock): CatalogSource => {
  const refused = metrics.gauge('gsb_catalog_refused_objects');
  const runOut = metrics.gauge('gsb_catalog_keys_run_out_timestamp_seconds');
  metrics.beforeText(() => {
    for (const [kind, count] of Object.entries(source.refused())) refused.set({ kind }, count);
    for (const kind of expiring) runOut.set({ kind }, keysRunOutAt(source.objects(), kind, clock()));
  });
  return source;
};
