import type { Admin } from 'kafkajs';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Component } from '#libs/runtime/service.ts';
import { sleep, withDeadline } from '#libs/runtime/wait.ts';
import type { KafkaConnection } from '../connection.ts';
import { metadataMaxAgeMs } from '../metadata-age.ts';

const lookAgainMs = 5_000;
const answerWithinMs = 5_000;
const disconnectWithinMs = 2_000;
/** A count counts when everybody has known of it for a while: producers, and consumers, who have joined again. */
const settlesAfterMs = 2 * metadataMaxAgeMs;

/** How many partitions the smallest of some topics has had for a while. */
export interface LeastPartitions extends Component {
  /** Never more than each of them has, because topics only grow; undefined until it has been read once. */
  count(): number | undefined;
}

/** A count that grows when it has been larger for so long; the first one counts at once. */
export const createSettledCount = (settlesMs: number) => {
  let count: number | undefined;
  let larger: { readonly count: number; readonly sinceMs: number } | undefined;
  return {
    note: (seen: number, nowMs: number): void => {
      count ??= seen;
      if (seen <= count) larger = undefined;
      else if (larger?.count !== seen) larger = { count: seen, sinceMs: nowMs };
      else if (nowMs - larger.sinceMs >= settlesMs) count = seen;
    },
    count: () => count,
  };
};

interface LeastPartitionsOptions {
  readonly kafka: KafkaConnection;
  readonly topics: readonly TopicName[];
  readonly log: Log;
}

const leastOf = async (admin: Admin, topics: string[]): Promise<number> => {
  await admin.connect();
  const found = await admin.fetchTopicMetadata({ topics });
  return Math.min(...found.topics.map(({ partitions }) => partitions.length));
};

const late = (): Error => new Error('the brokers did not answer in time');

/** Looks every five seconds. A start does not wait for Kafka: what begins until it answers has ids that tell nothing. */
export const createLeastPartitions = ({ kafka, topics, log }: LeastPartitionsOptions): LeastPartitions => {
  const names = topics.map((topic) => kafka.onCluster(topic));
  const admin = kafka.admin();
  const stopped = new AbortController();
  const { signal } = stopped;
  const settled = createSettledCount(settlesAfterMs);
  const look = async (): Promise<void> => {
    try {
      const least = await withDeadline(leastOf(admin, names), answerWithinMs, late);
      settled.note(least, performance.now());
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error }, 'how many partitions topics have cannot be read; trying again');
    }
  };
  const keepLooking = async (): Promise<void> => {
    for (;;) {
      await sleep(lookAgainMs, signal);
      if (signal.aborted) return;
      await look();
    }
  };
  return {
    name: 'partitions',
    start: async () => {
      await look();
      void keepLooking();
    },
    stop: async () => {
      stopped.abort();
      await withDeadline(admin.disconnect(), disconnectWithinMs, late).catch(() => undefined);
    },
    count: settled.count,
  };
};
