import { stringify } from 'yaml';
import { sizeFor } from './size-for.ts';
import type { Size } from './size-for.ts';

/** The presets of the chart, by the PCs that they are for. */
export const presets = { small: 10_000, medium: 100_000, large: 1_000_000 };

/** Live's own, of the two public services and of the consumers. */
const fewest = (service: string): number => (/gateway|game-session/.test(service) ? 3 : 2);
/** What is not needed until a pod is replaced, or callers come at once. */
const reserve = 1.25;

/** Half of the pods always, since those that are missing come too late for a herd; all of them and a reserve at most. */
const autoscalingOf = ([service, pods]: [string, number]) => {
  const min = Math.max(fewest(service), Math.ceil(pods / 2));
  return [service, { autoscaling: { min, max: Math.max(min + 1, Math.ceil(pods * reserve)) } }] as const;
};

/** Pods of a large product are busy, and the share of their CPU by which they are scaled is one of what they ask for: of one core. */
const requestsOf = ({ cores }: Size) =>
  cores['game-session'] > 0.25 ? { defaults: { resources: { requests: { cpu: '1' } } } } : {};

/** The values file of a preset. */
export const presetText = (name: keyof typeof presets): string => {
  const size = sizeFor(presets[name]);
  const values = {
    ...requestsOf(size),
    services: Object.fromEntries(Object.entries(size.pods).map(autoscalingOf)),
    kafka: { partitions: size.partitions },
  };
  const head = [
    `# Made from what was measured (deploy/generate/charts/sizing): up to ${presets[name].toLocaleString('en')} PCs that play. On top of`,
    `# values-live.yaml, before what is a site's own; see "Sizing" in the README.`,
  ];
  return `${head.join('\n')}\n${stringify(values, { singleQuote: true })}`;
};
