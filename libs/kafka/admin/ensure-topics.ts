import type { Topic } from '#libs/contracts/topics.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { Log } from '#libs/runtime/log.ts';
import { connectKafka } from '../connection.ts';
import type { KafkaConnectionOptions } from '../connection.ts';
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
}

const errorsOnly = (): Log => createLog({ service: name, instance: name, level: 'error' });

/** Retention only removes closed segments, so a segment must not outlive its messages. */
const configOf = (retentionSec: number) => [
  { name: 'retention.ms', value: String(retentionSec * 1_000) },
  { name: 'segment.ms', value: String(Math.min(retentionSec, maxSegmentSec) * 1_000) },
];

/** The cluster, and the topics that it should have; `prefix` goes before their names there. */
export interface EnsureTopicsOptions {
  readonly brokers: readonly string[];
  readonly tls?: boolean;
  readonly login?: NonNullable<KafkaConnectionOptions['login']>;
  readonly topics: TopicCatalog;
  readonly prefix?: string;
  readonly log?: Log;
}

/**
 * Creates the topics that are missing and adds partitions to those with too few; never shrinks or deletes. Idempotent. Resolves when all
 * new partitions can be used.
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
    if (missing.length > 0)
      await admin.createTopics({
        timeout: requestTimeoutMs,
        waitForLeaders: false,
        topics: missing.map(({ topic, partitions, retentionSec }) => ({
          topic,
          numPartitions: partitions,
          configEntries: configOf(retentionSec),
        })),
      });
    if (small.length > 0)
      await admin.createPartitions({
        timeout: requestTimeoutMs,
        topicPartitions: small.map(({ topic, partitions }) => ({ topic, count: partitions })),
      });
    await topicsReady(admin, lacking);
    return { created: missing.map(({ topic }) => topic), grown: small.map(({ topic }) => topic) };
  } finally {
    await admin.disconnect();
  }
};
