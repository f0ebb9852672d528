import type { Admin } from 'kafkajs';
import type { Topic } from '#libs/contracts/topics.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { Log } from '#libs/runtime/log.ts';
import { connectKafka } from '../connection.ts';
import type { KafkaConnectionOptions } from '../connection.ts';
import { brokerTime, setBrokerTime } from './broker-time.ts';
import { lackingPartitions, topicsReady } from './topics-ready.ts';

const name = 'topics';
const maxSegmentSec = 86_400;
const requestTimeoutMs = 15_000;

/** Topics by name, as the contracts describe them. */
export type TopicCatalog = Readonly<Record<string, Pick<Topic, 'partitions' | 'retentionSec'>>>;

/** The topics that were changed, by their names on the cluster. */
export interface TopicsEnsured {
  readonly created: readonly string[];
  readonly grown: readonly string[];
  /** Those whose messages bore the time of their producers until now. */
  readonly restamped: readonly string[];
}

const errorsOnly = (): Log => createLog({ service: name, instance: name, level: 'error' });

/** Retention only removes closed segments, so a segment must not outlive its messages. */
const configOf = (retentionSec: number) => [
  { name: 'retention.ms', value: String(retentionSec * 1_000) },
  { name: 'segment.ms', value: String(Math.min(retentionSec, maxSegmentSec) * 1_000) },
  brokerTime,
];

interface Wanted {
  readonly topic: string;
  readonly partitions: number;
  readonly retentionSec: number;
}

const create = async (admin: Admin, missing: readonly Wanted[]): Promise<void> => {
  if (missing.length === 0) return;
  await admin.createTopics({
    timeout: requestTimeoutMs,
    waitForLeaders: false,
    topics: missing.map(({ topic, partitions, retentionSec }) => ({
      topic,
      numPartitions: partitions,
      configEntries: configOf(retentionSec),
    })),
  });
};

const grow = async (admin: Admin, small: readonly Wanted[]): Promise<void> => {
  if (small.length === 0) return;
  await admin.createPartitions({
    timeout: requestTimeoutMs,
    topicPartitions: small.map(({ topic, partitions }) => ({ topic, count: partitions })),
  });
};

/** The cluster, and the topics that it should have; `prefix` goes before their names there. */
export interface EnsureTopicsOptions extends Pick<
  KafkaConnectionOptions,
  'brokers' | 'tls' | 'login' | 'certificate'
> {
  readonly topics: TopicCatalog;
  readonly prefix?: string;
  readonly log?: Log;
}

/**
 * Creates the topics that are missing, adds partitions to those with too few, and lets the broker's clock stamp their messages (D-33); never
 * shrinks or deletes. Idempotent. Resolves when all new partitions can be used.
 */
export const ensureTopics = async ({
  topics,
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
    await create(admin, missing);
    await grow(admin, small);
    await topicsReady(admin, lacking);
    const created = missing.map(({ topic }) => topic);
    const existing = wanted.map(({ topic }) => topic).filter((topic) => !created.includes(topic));
    return {
      created,
      grown: small.map(({ topic }) => topic),
      restamped: await setBrokerTime(admin, existing),
    };
  } finally {
    await admin.disconnect();
  }
};
