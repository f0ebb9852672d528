import { randomUUID } from 'node:crypto';
import type { Admin, SeekEntry } from 'kafkajs';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { KafkaConnection } from './connection.ts';
import type { Fetched } from './envelope.ts';

/** A stretch of one partition of the log: from an offset up to, and without, another. */
export interface Stretch {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  /** Whether the log still has everything since the instant that was asked for. */
  readonly isWhole: boolean;
}

const withAdmin = async <T>(kafka: KafkaConnection, work: (admin: Admin) => Promise<T>): Promise<T> => {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
};

const beginning = (offsets: readonly SeekEntry[], partition: number, orElse: string): number => {
  const found = Number(offsets.find((each) => each.partition === partition)?.offset ?? -1);
  return found < 0 ? Number(orElse) : found;
};

/** What the log has of a topic at this moment, from an instant on (ms since the epoch; 0 for all). What comes later is not in it. */
export const stretchesOf = (kafka: KafkaConnection, name: TopicName, sinceMs = 0): Promise<Stretch[]> =>
  withAdmin(kafka, async (admin) => {
    const topic = kafka.onCluster(name);
    const ends = await admin.fetchTopicOffsets(topic);
    const since = await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs);
    return ends.map(({ partition, low, high }) => {
      const from = beginning(since, partition, high);
      // What was thrown away may have been of then: the log's first message is the first that is asked for.
      const isWhole = sinceMs === 0 || Number(low) === 0 || from > Number(low);
      return { topic, partition, from, to: Number(high), isWhole };
    });
  });

type Take = (messages: Fetched[]) => Promise<void>;

/** Reads stretches of one topic to their ends, in order for each partition, by a group of its own that is gone afterwards. */
export const readLog = async (
  kafka: KafkaConnection,
  stretches: readonly Stretch[],
  take: Take,
): Promise<void> => {
  const open = new Map(stretches.filter(({ from, to }) => from < to).map((each) => [each.partition, each]));
  const [first] = open.values();
  if (first === undefined) return;
  const group = `reader-${randomUUID()}`;
  const consumer = kafka.consumer(group);
  const finished = Promise.withResolvers<undefined>();
  const { topic } = first;
  try {
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart) finished.reject(payload.error);
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        const { partition, messages } = batch;
        const stretch = open.get(partition);
        if (stretch === undefined) return;
        const wanted = messages.filter(
          ({ offset }) => Number(offset) >= stretch.from && Number(offset) < stretch.to,
        );
        await take(wanted.map((message) => ({ topic, partition, message }))).catch(finished.reject);
        if (Number(batch.lastOffset()) >= stretch.to - 1) open.delete(partition);
        if (open.size === 0) finished.resolve(undefined);
      },
    });
    for (const { partition, from } of open.values())
      consumer.seek({ topic, partition, offset: String(from) });
    await finished.promise;
  } finally {
    await consumer.disconnect();
    await withAdmin(kafka, (admin) => admin.deleteGroups([kafka.onCluster(group)])).catch(() => undefined);
  }
};
