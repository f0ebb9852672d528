import type { SeekEntry } from 'kafkajs';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { KafkaConnection } from '../connection.ts';
import type { FetchedMessage } from '../envelope.ts';
import { withLogReader } from './log-reader.ts';
import type { OffsetRange } from './log-reader.ts';

const idleMs = 60_000;

/** A stretch that was asked for from an instant on. */
export interface Since extends OffsetRange {
  /** Whether the log still has everything since then. */
  readonly isWhole: boolean;
}

const beginning = (offsets: readonly SeekEntry[], partition: number, orElse: string): number => {
  const found = Number(offsets.find((each) => each.partition === partition)?.offset ?? -1);
  return found < 0 ? Number(orElse) : found;
};

/** What the log has of a topic at this moment, from an instant on (ms since the epoch; 0 for all). What comes later is not in it. */
export const offsetRangesSince = (kafka: KafkaConnection, name: TopicName, sinceMs = 0): Promise<Since[]> => {
  const topic = kafka.onCluster(name);
  return withLogReader(kafka, [topic], async ({ admin }) => {
    const ends = await admin.fetchTopicOffsets(topic);
    const since = await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs);
    return ends.map(({ partition, low, high }) => {
      const from = beginning(since, partition, high);
      // What was thrown away may have been of then: the log's first message is the first that is asked for.
      const isWhole = sinceMs === 0 || Number(low) === 0 || from > Number(low);
      return { topic, partition, from, to: Number(high), isWhole };
    });
  });
};

/** Resolves as `work` does, which says by `alive` that it goes on; rejects when it has not for a minute. */
const watched = async (work: (alive: () => void) => Promise<void>): Promise<void> => {
  const silence = Promise.withResolvers<never>();
  const tooLong = () => silence.reject(new Error('the log gave nothing for a minute'));
  const timer = setTimeout(tooLong, idleMs);
  try {
    await Promise.race([work(() => void timer.refresh()), silence.promise]);
  } finally {
    clearTimeout(timer);
  }
};

/** Reads stretches of one topic to their ends, in order for each partition. Rejects when the log gives nothing for a minute. */
export const readLog = (
  kafka: KafkaConnection,
  stretches: readonly OffsetRange[],
  take: (messages: FetchedMessage[]) => Promise<void>,
): Promise<void> => {
  const topics = [...new Set(stretches.map(({ topic }) => topic))];
  return watched((alive) =>
    withLogReader(kafka, topics, ({ read }) =>
      read(stretches, async (messages) => {
        alive();
        await take(messages);
        alive();
      }),
    ),
  );
};
