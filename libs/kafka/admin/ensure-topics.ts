import kafkajs from 'kafkajs';
import type { Admin } from 'kafkajs';
import type { Topic } from '#libs/contracts/topics.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { Log } from '#libs/runtime/log.ts';
import { connectKafka } from '../connection.ts';
import type { KafkaConnectionOptions } from '../connection.ts';
import { setSettings, settingsOfAll } from './topic-settings.ts';
import type { TopicSet } from './topic-settings.ts';
import { lackingPartitions, topicsReady } from './topics-ready.ts';

// Node does not find it among the names that kafkajs exports.
const { KafkaJSAggregateError } = kafkajs;

const name = 'topics';
const maxSegmentSec = 86_400;
const requestTimeoutMs = 15_000;

/** Topics by name, as the contracts describe them. */
export type TopicCatalog = Readonly<Record<string, Pick<Topic, 'partitions' | 'retentionSec'>>>;

/** The topics that were changed, by their names on the cluster. */
export interface TopicsEnsured {
  readonly created: readonly string[];
  readonly grown: readonly string[];
  /** Those that were configured otherwise than all topics are. */
  readonly configured: readonly TopicSet[];
}

const errorsOnly = (): Log => createLog({ service: name, instance: name, level: 'error' });

/** Copies of each partition, and how many of them must have a message before it counts as written. */
export interface Copies {
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
}

/** Retention only removes closed segments, so a segment must not outlive its messages. */
const configOf = (retentionSec: number, copies: Copies | undefined) => [
  { name: 'retention.ms', value: String(retentionSec * 1_000) },
  { name: 'segment.ms', value: String(Math.min(retentionSec, maxSegmentSec) * 1_000) },
  ...settingsOfAll,
  ...(copies === undefined ? [] : [{ name: 'min.insync.replicas', value: String(copies.minInsyncReplicas) }]),
];

/** kafkajs says of several errors that there are some; whoever reads the log of a Job wants to know which. */
const inFull = (error: unknown): unknown => {
  if (!(error instanceof KafkaJSAggregateError)) return error;
  const reasons = new Set(error.errors.map((each) => (typeof each === 'string' ? each : each.message)));
  return new Error(`${error.message}: ${[...reasons].join('; ')}`, { cause: error });
};

interface Wanted {
  readonly topic: string;
  readonly partitions: number;
  readonly retentionSec: number;
}

const create = async (
  admin: Admin,
  missing: readonly Wanted[],
  copies: Copies | undefined,
): Promise<void> => {
  if (missing.length === 0) return;
  const creating = admin.createTopics({
    timeout: requestTimeoutMs,
    waitForLeaders: false,
    topics: missing.map(({ topic, partitions, retentionSec }) => ({
      topic,
      numPartitions: partitions,
      ...(copies !== undefined && { replicationFactor: copies.replicationFactor }),
      configEntries: configOf(retentionSec, copies),
    })),
  });
  await creating.catch((error: unknown) => {
    throw inFull(error);
  });
};

const grow = async (admin: Admin, small: readonly Wanted[]): Promise<void> => {
  if (small.length === 0) return;
  await admin.createPartitions({
    timeout: requestTimeoutMs,
    topicPartitions: small.map(({ topic, partitions }) => ({ topic, count: partitions })),
  });
};

/** The cluster, and the topics that it should have; `prefix` goes before their names there. Without `copies` the brokers' defaults count. */
export interface EnsureTopicsOptions extends Pick<
  KafkaConnectionOptions,
  'brokers' | 'tls' | 'login' | 'certificate'
> {
  readonly topics: TopicCatalog;
  readonly prefix?: string;
  readonly copies?: Copies | undefined;
  readonly log?: Log;
}

/**
 * Creates the topics that are missing, adds partitions to those with too few, and sets what all have, such as the broker's clock (D-33); never
 * shrinks or deletes, and leaves topics that are there the copies that they have. Idempotent. Resolves when all new partitions can be used.
 */
export const ensureTopics = async ({
  topics,
  copies,
  log = errorsOnly(),
  ...cluster
}: EnsureTopicsOptions): Promise<TopicsEnsured> => {
  const kafka = connectKafka({ ...cluster, clientId: name, log });
  const wanted = Object.entries(topics).map(([topic, shape]) => ({
    ...shape,
    topic: kafka.onCluster(topic),
  }));
  const admin = kafka.admin();
  await admin.connect();
  try {
    const lacking = await lackingPartitions(admin, wanted);
    const missing = lacking.filter(({ present }) => present === 0);
    const small = lacking.filter(({ present }) => present > 0);
    await create(admin, missing, copies);
    await grow(admin, small);
    await topicsReady(admin, lacking);
    const created = missing.map(({ topic }) => topic);
    const existing = wanted.map(({ topic }) => topic).filter((topic) => !created.includes(topic));
    return {
      created,
      grown: small.map(({ topic }) => topic),
      configured: await setSettings(admin, existing),
    };
  } finally {
    await admin.disconnect();
  }
};
