import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { KafkaConnection } from '../connection.ts';
import { partitionName } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import type { OffsetRange } from './offset-ranges.ts';

/** Receives messages in order for each partition; the next ones are delivered when it has resolved. */
export type OnMessages = (messages: readonly FetchedMessage[]) => void | Promise<void>;

/** Reads ranges, one call at a time. */
export interface RangeConsumer {
  /** Resolves at the ends of all ranges. Rejects with what `onMessages` threw, or when the consumer crashed. */
  read(ranges: readonly OffsetRange[], onMessages: OnMessages): Promise<void>;
  stop(): Promise<void>;
}

interface Reading {
  /** By partition; a range that was read to its end is removed. */
  readonly unread: Map<string, OffsetRange>;
  readonly onMessages: OnMessages;
  readonly finished: PromiseWithResolvers<void>;
}

const fail = (reading: Reading | undefined, error: unknown): void => {
  reading?.unread.clear();
  reading?.finished.reject(error);
};

const heartbeatEveryMs = 1_000;

/** Does work while the group is told that its member lives; without that it would be thrown out after the session timeout. */
const whileAlive = async ({ heartbeat }: EachBatchPayload, work: () => Promise<void>): Promise<void> => {
  const timer = setInterval(() => void heartbeat().catch(() => undefined), heartbeatEveryMs);
  try {
    await work();
    await heartbeat();
  } finally {
    clearInterval(timer);
  }
};

const deliver = async (reading: Reading, { batch, pause }: EachBatchPayload): Promise<void> => {
  const { unread, onMessages, finished } = reading;
  const { topic, partition, messages } = batch;
  const range = unread.get(partitionName(batch));
  // A batch from behind the range was fetched before the consumer was told where to begin.
  if (range === undefined || Number(batch.firstOffset()) > range.to) return;
  const { from, to } = range;
  const inRange = messages.filter(({ offset }) => Number(offset) >= from && Number(offset) < to);
  await onMessages(inRange.map((message) => ({ topic, partition, message })));
  if (Number(batch.lastOffset()) < to - 1) return;
  unread.delete(partitionName(batch));
  pause();
  if (unread.size === 0) finished.resolve();
};

/** Joins the group, and delivers what is fetched to the reading of that moment. */
const run = async (consumer: Consumer, topics: readonly string[], current: () => Reading | undefined) => {
  consumer.on(consumer.events.CRASH, ({ payload }) => fail(current(), payload.error));
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: false });
  await consumer.run({
    autoCommit: false,
    eachBatch: async (payload) => {
      const reading = current();
      if (reading === undefined || payload.isStale()) return;
      await whileAlive(payload, () => deliver(reading, payload)).catch((error: unknown) =>
        fail(reading, error),
      );
    },
  });
};

/** A consumer that joins its group at the first range that is not empty, and commits nothing. */
export const createRangeConsumer = (
  kafka: KafkaConnection,
  group: string,
  topics: readonly string[],
): RangeConsumer => {
  const consumer = kafka.replayConsumer(group);
  let reading: Reading | undefined;
  let started: Promise<void> | undefined;
  return {
    read: async (ranges, onMessages) => {
      const unread = new Map(
        ranges.filter(({ from, to }) => from < to).map((range) => [partitionName(range), range]),
      );
      if (unread.size === 0) return;
      await (started ??= run(consumer, topics, () => reading));
      reading = { unread, onMessages, finished: Promise.withResolvers() };
      for (const { topic, partition, from } of unread.values()) {
        consumer.seek({ topic, partition, offset: String(from) });
        consumer.resume([{ topic, partitions: [partition] }]);
      }
      await reading.finished.promise;
    },
    stop: async () => {
      if (started) await started.then(consumer.disconnect).catch(() => undefined);
    },
  };
};
