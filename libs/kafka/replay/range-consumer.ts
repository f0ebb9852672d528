import type { Batch, Consumer, EachBatchPayload } from 'kafkajs';
import type { KafkaConnection } from '../connection.ts';
import { partitionName } from '../fetched-message.ts';
import type { FetchedMessage } from '../fetched-message.ts';
import { whileAlive } from '../while-alive.ts';
import type { OffsetRange } from './offset-ranges.ts';

/** Receives messages in order for each partition; the next ones are delivered when it has resolved. */
export type OnMessages = (messages: readonly FetchedMessage[]) => void | Promise<void>;

/** Reads ranges, one call at a time. */
export interface RangeConsumer {
  /** Resolves at the ends of all ranges. Rejects with what `onMessages` threw, or when the consumer crashed. */
  read(ranges: readonly OffsetRange[], onMessages: OnMessages): Promise<void>;
  stop(): Promise<void>;
}

/** A range, and the offset that is delivered next. */
interface Place {
  readonly range: OffsetRange;
  next: number;
}

interface Reading {
  /** By partition; a range that was read to its end is removed. */
  readonly unread: Map<string, Place>;
  readonly onMessages: OnMessages;
  readonly finished: PromiseWithResolvers<void>;
}

const fail = (reading: Reading | undefined, error: unknown): void => {
  reading?.unread.clear();
  reading?.finished.reject(error);
};

/** Fetches from where the reading of a partition stands. */
const goOn = (consumer: Consumer, { range: { topic, partition }, next }: Place): void => {
  consumer.seek({ topic, partition, offset: String(next) });
  consumer.resume([{ topic, partitions: [partition] }]);
};

const deliver = async (reading: Reading, place: Place, { batch, pause }: EachBatchPayload): Promise<void> => {
  const { unread, onMessages, finished } = reading;
  const { topic, partition, to } = place.range;
  const messages = batch.messages.filter(({ offset }) => Number(offset) >= place.next && Number(offset) < to);
  await onMessages(messages.map((message) => ({ topic, partition, message })));
  place.next = Number(batch.lastOffset()) + 1;
  if (place.next < to) return;
  unread.delete(partitionName(batch));
  pause();
  if (unread.size === 0) finished.resolve();
};

/** The offset that a batch was asked for: its first message may have a later one, where the log has gaps. */
const askedFor = (batch: Batch & { readonly fetchedOffset?: string }): number =>
  Number(batch.fetchedOffset ?? batch.firstOffset());

/**
 * Joins the group, and delivers what is fetched to the reading of that moment. A group that commits nothing begins at the log's end each
 * time that it is joined again: every reading then goes on from where it stood, and what was fetched from behind that is not delivered.
 */
const run = async (consumer: Consumer, topics: readonly string[], current: () => Reading | undefined) => {
  const { CRASH, GROUP_JOIN } = consumer.events;
  consumer.on(CRASH, ({ payload }) => fail(current(), payload.error));
  consumer.on(GROUP_JOIN, () => current()?.unread.forEach((place) => goOn(consumer, place)));
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: false });
  await consumer.run({
    autoCommit: false,
    eachBatch: async (payload) => {
      const reading = current();
      const place = reading?.unread.get(partitionName(payload.batch));
      if (reading === undefined || place === undefined || payload.isStale()) return;
      if (askedFor(payload.batch) > place.next) {
        goOn(consumer, place);
        return;
      }
      const failed = (error: unknown): void => fail(reading, error);
      await whileAlive(payload, () => deliver(reading, place, payload)).catch(failed);
      await payload.heartbeat();
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
        ranges
          .filter(({ from, to }) => from < to)
          .map((range) => [partitionName(range), { range, next: range.from }]),
      );
      if (unread.size === 0) return;
      await (started ??= run(consumer, topics, () => reading));
      reading = { unread, onMessages, finished: Promise.withResolvers() };
      for (const place of unread.values()) goOn(consumer, place);
      await reading.finished.promise;
    },
    stop: async () => {
      if (started) await started.then(consumer.disconnect).catch(() => undefined);
    },
  };
};
