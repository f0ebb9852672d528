import type { Admin } from 'kafkajs';
import type { Topic } from '#libs/contracts/topics.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { Log } from '#libs/runtime/log.ts';
import { connectKafka } from '../connection.ts';
import type { KafkaConnectionOptions } from '../connection.ts';

const name = 'topics';
const longestSegmentSec = 86_400;
const createTimeoutMs = 15_000;

/** Topics by name, as the catalogue of the contracts describes them. */
export type TopicCatalog = Readonly<Record<string, Pick<Topic, 'partitions' | 'retentionSec'>>>;

/** The names of what was done; topics that were right already are in neither list. */
export interface TopicsEnsured {
  readonly created: readonly string[];
  readonly grown: readonly string[];
}

type Wanted = readonly [name: string, topic: TopicCatalog[string]];

const quiet = (): Log => createLog({ service: name, instance: name, level: 'error' });

/** Retention only removes closed segments, so a segment must not outlive its messages. */
const configOf = ({ retentionSec }: TopicCatalog[string]) => [
  { name: 'retention.ms', value: String(retentionSec * 1_000) },
  { name: 'segment.ms', value: String(Math.min(retentionSec, longestSegmentSec) * 1_000) },
];

const create = async (admin: Admin, missing: readonly Wanted[]): Promise<void> => {
  if (missing.length === 0) return;
  await admin.createTopics({
    timeout: createTimeoutMs,
    waitForLeaders: true,
    topics: missing.map(([topic, wanted]) => ({
      topic,
      numPartitions: wanted.partitions,
      configEntries: configOf(wanted),
    })),
  });
};

const tooSmall = async (admin: Admin, present: readonly Wanted[]): Promise<readonly Wanted[]> => {
  if (present.length === 0) return [];
  const { topics } = await admin.fetchTopicMetadata({ topics: present.map(([name]) => name) });
  const partitions = new Map(topics.map(({ name, partitions: all }) => [name, all.length]));
  return present.filter(([name, wanted]) => (partitions.get(name) ?? 0) < wanted.partitions);
};

const grow = async (admin: Admin, small: readonly Wanted[]): Promise<void> => {
  if (small.length === 0) return;
  await admin.createPartitions({
    timeout: createTimeoutMs,
    topicPartitions: small.map(([topic, { partitions }]) => ({ topic, count: partitions })),
  });
};

/** Which cluster, which topics, and what stands before their names there. */
export interface EnsureTopicsOptions {
  readonly brokers: readonly string[];
  readonly tls?: boolean;
  readonly login?: NonNullable<KafkaConnectionOptions['login']>;
  readonly catalogue: TopicCatalog;
  readonly prefix?: string;
  readonly log?: Log;
}

/** Creates the topics that are missing and grows those with too few partitions; never shrinks or deletes. Doing it again changes nothing. */
export const ensureTopics = async ({
  catalogue,
  log = quiet(),
  ...where
}: EnsureTopicsOptions): Promise<TopicsEnsured> => {
  const kafka = connectKafka({ ...where, clientId: name, log });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const known = new Set(await admin.listTopics());
    const wanted = Object.entries(catalogue).map(([topic, shape]): Wanted => [kafka.onCluster(topic), shape]);
    const missing = wanted.filter(([topic]) => !known.has(topic));
    const present = wanted.filter(([topic]) => known.has(topic));
    const small = await tooSmall(admin, present);
    await create(admin, missing);
    await grow(admin, small);
    return { created: missing.map(([topic]) => topic), grown: small.map(([topic]) => topic) };
  } finally {
    await admin.disconnect();
  }
};
