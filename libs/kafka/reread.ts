import { randomUUID } from 'node:crypto';
import type { Admin, Consumer, EachBatchPayload } from 'kafkajs';
import type { TopicName } from '#libs/contracts/topics.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { KafkaConnection } from './connection.ts';
import type { Fetched } from './envelope.ts';

const deadlineMs = 60_000;

/** Which stretch of the log is read again, up to what stands on it at the call. */
export interface Stretch {
  readonly kafka: KafkaConnection;
  readonly topics: readonly TopicName[];
  /** Where the stretch begins, in ms since the epoch, given when the newest of these messages was written. */
  readonly since: (newestMs: number) => number;
  /** Messages in order for each partition; must not throw. */
  readonly onMessage: (fetched: Fetched) => void;
  readonly signal?: AbortSignal;
}

/** A piece of a partition; `to` is the first offset that is not read. */
interface Piece {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

type Read = (pieces: readonly Piece[], onMessage: Stretch['onMessage']) => Promise<void>;

const nameOf = ({ topic, partition }: Pick<Piece, 'topic' | 'partition'>) => `${topic}#${partition}`;

const endsOf = async (admin: Admin, topics: readonly string[]): Promise<Piece[]> => {
  const ends = await Promise.all(
    topics.map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => ({
        ...{ topic, partition, from: Math.max(Number(low), Number(high) - 1), to: Number(high) },
      })),
    ),
  );
  return ends.flat().filter(({ from, to }) => from < to);
};

const stretched = async (admin: Admin, ends: readonly Piece[], sinceMs: number): Promise<Piece[]> => {
  const topics = [...new Set(ends.map(({ topic }) => topic))];
  const begins = new Map<string, number>();
  for (const topic of topics) {
    const found = await admin.fetchTopicOffsetsByTimestamp(topic, sinceMs);
    for (const { partition, offset } of found) begins.set(nameOf({ topic, partition }), Number(offset));
  }
  const pieces = ends.map((end) => ({ ...end, from: begins.get(nameOf(end)) ?? end.from }));
  return pieces.filter(({ from, to }) => from < to);
};

/** What is being read, and who is told when it has been. */
const createReading = () => {
  let unread = new Map<string, Piece>();
  let onMessage: Stretch['onMessage'] = () => undefined;
  let done: () => void = () => undefined;
  return {
    begin: (pieces: readonly Piece[], tell: Stretch['onMessage']) => {
      unread = new Map(pieces.map((piece) => [nameOf(piece), piece]));
      onMessage = tell;
      return new Promise<void>((resolve) => (pieces.length > 0 ? (done = resolve) : resolve()));
    },
    eachBatch: async ({ batch }: EachBatchPayload) => {
      const { topic, partition, messages } = batch;
      const piece = unread.get(nameOf(batch));
      if (piece === undefined || Number(batch.firstOffset()) > piece.to) return;
      for (const message of messages) {
        if (Number(message.offset) < piece.to) onMessage({ topic, partition, message });
      }
      if (Number(batch.lastOffset()) < piece.to - 1) return;
      unread.delete(nameOf(batch));
      if (unread.size === 0) done();
    },
  };
};

const withReader = async (
  consumer: Consumer,
  topics: string[],
  use: (read: Read) => Promise<void>,
): Promise<void> => {
  const reading = createReading();
  const crashed = new Promise<never>((_, reject) =>
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error)),
  );
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: false });
  await consumer.run({ autoCommit: false, eachBatch: reading.eachBatch });
  const read: Read = (pieces, onMessage) => {
    const finished = reading.begin(pieces, onMessage);
    for (const { topic, partition, from } of pieces)
      consumer.seek({ topic, partition, offset: String(from) });
    return finished;
  };
  await Promise.race([use(read), crashed]);
};

/** First the newest message of each partition, to know when all this was, then the stretch. */
const readStretch = async (admin: Admin, consumer: Consumer, stretch: Stretch): Promise<void> => {
  const { kafka, since, onMessage } = stretch;
  await admin.connect();
  const topics = stretch.topics.map((topic) => kafka.onCluster(topic));
  const ends = await endsOf(admin, topics);
  if (ends.length === 0) return;
  await withReader(consumer, topics, async (read) => {
    let newestMs = 0;
    await read(ends, ({ message }) => (newestMs = Math.max(newestMs, Number(message.timestamp))));
    await read(await stretched(admin, ends, since(newestMs)), onMessage);
  });
};

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('stopped'))));

/**
 * Reads a stretch of the log again, through a group of its own that goes afterwards. Rejects when the log is away, or when it takes
 * longer than a minute; what was given to `onMessage` by then was only a part.
 */
export const reread = async (stretch: Stretch): Promise<void> => {
  const { kafka, signal } = stretch;
  const group = `reread-${randomUUID()}`;
  const [admin, consumer] = [kafka.admin(), kafka.rereader(group)];
  const tooLate = () => new Error('the log could not be read again in time');
  try {
    const work = readStretch(admin, consumer, stretch);
    await withDeadline(Promise.race([work, aborted(signal)]), deadlineMs, tooLate);
  } finally {
    await consumer.disconnect().catch(() => undefined);
    await admin.deleteGroups([kafka.onCluster(group)]).catch(() => undefined);
    await admin.disconnect().catch(() => undefined);
  }
};
