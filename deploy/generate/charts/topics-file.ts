import { serviceNames, topics } from '#libs/contracts/topics.ts';
import type { ServiceName, Topic } from '#libs/contracts/topics.ts';

const longestSegmentSec = 86_400;

/** Groups beyond the one that bears the name of the service; what stands in such a topic waits on purpose, so its lag is no reason to scale. */
const waiting: Readonly<Record<string, Partial<Record<ServiceName, string>>>> = {
  'billing-retries.v1': { 'billing-adapter': 'billing-adapter-retries' },
};

/** Services that replay the log, in a consumer group of its own: the hot views from what they wrote themselves (D-24), and the ledger's proof. */
const replays: ReadonlySet<ServiceName> = new Set(['ott', 'game-session', 'settlement']);

const catalog: readonly (readonly [string, Topic])[] = Object.entries(topics);

const rightsOf = (service: ServiceName) => {
  const names = (of: (topic: Topic) => boolean) =>
    catalog.filter(([, topic]) => of(topic)).map(([name]) => name);
  const writes = names(({ writers }) => writers.includes(service));
  const consumes = names(({ readers }) => readers.includes(service));
  const again = replays.has(service) ? writes.filter((name) => name !== 'dead-letters.v1') : [];
  const groups = new Set(consumes.map((name) => waiting[name]?.[service] ?? service));
  return {
    writes,
    reads: [...new Set([...consumes, ...again])].sort(),
    groups: [...groups].sort(),
    replays: replays.has(service),
  };
};

/** After how long at most Kafka begins another segment, in seconds. */
export const segmentSecOf = (retentionSec: number): number => Math.min(retentionSec, longestSegmentSec);

const shapeOf = ({ partitions, retentionSec }: Topic) => ({
  partitions,
  retentionMs: String(retentionSec * 1_000),
  segmentMs: String(segmentSecOf(retentionSec) * 1_000),
});

/** What the chart knows of the topics, from the contracts' catalog: shapes, rights of each service, and whose lag scales whom. */
export const topicsFile = (): string => {
  const scaledBy = (service: ServiceName) =>
    catalog
      .filter(([name, { readers }]) => readers.includes(service) && waiting[name] === undefined)
      .map(([name]) => name);
  const file = {
    topics: Object.fromEntries(catalog.map(([name, topic]) => [name, shapeOf(topic)])),
    services: Object.fromEntries(serviceNames.map((service) => [service, rightsOf(service)])),
    scaledBy: Object.fromEntries(serviceNames.map((service) => [service, scaledBy(service)])),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
};
