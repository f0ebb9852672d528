import type { Admin } from 'kafkajs';
import type { TopicName } from '#libs/contracts/topics.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { KafkaConnection } from '../connection.ts';
import { partitionName } from '../envelope.ts';
import type { FetchedMessage } from '../envelope.ts';
import { withLogReader } from './log-reader.ts';
import type { OffsetRange } from './log-reader.ts';

const deadlineMs = 60_000;

/** What is read again, up to what stands on the log at the call. */
export interface LogReplay {
  readonly kafka: KafkaConnection;
  readonly topics: readonly TopicName[];
  /** Where it begins, in ms since the epoch, given when the newest of these messages was written. */
  readonly since: (newestMs: number) => number;
  /** Messages in order for each partition; must not throw. */
  readonly onMessage: (fetched: FetchedMessage) => void;
  readonly signal?: AbortSignal;
}

/** The newest message of each partition. */
const endsOf = async (admin: Admin, topics: readonly string[]): Promise<OffsetRange[]> => {
  const ends = await Promise.all(
    topics.map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => ({
        ...{ topic, partition, from: Math.max(Number(low), Number(high) - 1), to: Number(high) },
      })),
    ),
  );
  return ends.flat();
};

const stretched = async (
  admin: Admin,
  ends: readonly OffsetRange[],
  sinceMs: number,
): Promise<OffsetRange[]> => {
  const begins = new Map<string, number>();
  for (const topic of new Set(ends.map(({ topic }) => topic))) {
    const found = await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs);
    for (const { partition, offset } of found)
      begins.set(partitionName({ topic, partition }), Number(offset));
  }
  return ends.map((end) => ({ ...end, from: begins.get(partitionName(end)) ?? end.from }));
};

/** First the newest message of each partition, to know when all this was, then the stretch. */
const readAgain = ({ kafka, topics: names, since, onMessage }: LogReplay): Promise<void> => {
  const topics = names.map((topic) => kafka.onCluster(topic));
  return withLogReader(kafka, topics, async ({ admin, read }) => {
    const ends = await endsOf(admin, topics);
    let newestMs = 0;
    await read(ends, (last) =>
      last.forEach(({ message }) => (newestMs = Math.max(newestMs, Number(message.timestamp)))),
    );
    if (newestMs === 0) return;
    await read(await stretched(admin, ends, since(newestMs)), (messages) => messages.forEach(onMessage));
  });
};

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))));

/**
 * Reads a stretch of the log again. Rejects when the log is away, or when it takes longer than a minute; what was given to `onMessage` by
 * then was only a part.
 */
export const replayLog = (rereading: LogReplay): Promise<void> => {
  const tooLate = () => new Error('the log could not be read again in time');
  const work = readAgain(rereading);
  return withDeadline(Promise.race([work, aborted(rereading.signal)]), deadlineMs, tooLate);
};
