import { serviceNames } from '#libs/contracts/topics.ts';
import type { ServiceName } from '#libs/contracts/topics.ts';
import { stringify } from 'yaml';
import { usualInFlight } from '../../../../services/billing-adapter/adapters/circuit-breakers.ts';
import { leastPods, requestOf, requested } from './requested-cores.ts';
import { sizeFor } from './size-for.ts';
import type { Size } from './size-for.ts';
import { primariesOf } from './store-sizes.ts';

/** The presets of the chart, by the PCs that they are for. */
export const presets = { small: 10_000, medium: 100_000, large: 1_000_000 };

/** Enough always, since a pod that is missing comes too late for a herd, and never fewer than live has; a reserve at most. */
const autoscalingOf = (size: Size, service: ServiceName) => ({
  min: leastPods(size, service),
  max: size.mostPods[service],
});

const resourcesOf = (size: Size, service: ServiceName) => {
  const cores = requestOf(size, service);
  const cpu = cores === 1 ? '1' : `${Math.round(cores * 1_000)}m`;
  return cores > requested.service ? { resources: { requests: { cpu } } } : {};
};

/** More than one primary is a Redis Cluster, whose servers a site names in `redis.nodes`. */
const redisOf = (size: Size) =>
  primariesOf(size).placed?.primaries === 1 ? {} : { redis: { mode: 'cluster' } };

const partnerOf = ({ inFlight, checksInFlight, retriesPerSecond }: Size) =>
  inFlight > usualInFlight.start || checksInFlight > usualInFlight.check
    ? { partner: { inFlight: { check: checksInFlight, start: inFlight, stop: inFlight }, retriesPerSecond } }
    : {};

/** The values of a preset, on top of values-live.yaml. */
export const presetValues = (name: keyof typeof presets) => {
  const size = sizeFor(presets[name]);
  return {
    services: Object.fromEntries(
      serviceNames.map((service) => [
        service,
        { ...resourcesOf(size, service), autoscaling: autoscalingOf(size, service) },
      ]),
    ),
    kafka: { partitions: size.partitions },
    ...redisOf(size),
    ...partnerOf(size),
  };
};

/** The values file of a preset. */
export const presetText = (name: keyof typeof presets): string => {
  const values = presetValues(name);
  const head = [
    `# Made from what was measured (deploy/generate/charts/sizing): up to ${presets[name].toLocaleString('en')} PCs that play. On top of`,
    `# values-live.yaml, before what is a site's own${'redis' in values ? ', redis.nodes among it' : ''}; see "Sizing" in the README.`,
  ];
  return `${head.join('\n')}\n${stringify(values, { singleQuote: true })}`;
};
