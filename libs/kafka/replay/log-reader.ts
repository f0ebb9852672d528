import { randomUUID } from 'node:crypto';
import type { Admin, EachBatchPayload } from 'kafkajs';
import type { KafkaConnection } from '../connection.ts';
import { partitionName } from '../envelope.ts';
import type { FetchedMessage } from '../envelope.ts';

/** A stretch of one partition of the log: from an offset up to, and without, another. Names are the cluster's. */
export interface OffsetRange {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

/** Is given messages in order for each partition; the next come when it has resolved. */
type Take = (messages: FetchedMessage[]) => void | Promise<void>;

/** Reads stretches to their ends. Rejects with what `take` threw, or when the log cannot be read. */
export type ReadRanges = (stretches: readonly OffsetRange[], take: Take) => Promise<void>;

/** What may be asked about topics and groups, and the reader. */
interface Tools {
  readonly admin: Admin;
  readonly read: ReadRanges;
}

const isLong = ({ from, to }: OffsetRange) => from < to;

/** What is being read, and who is told when it has been. */
const createReading = () => {
  let unread = new Map<string, OffsetRange>();
  let take: Take = () => undefined;
  let now = Promise.withResolvers<undefined>();
  return {
    begin: (stretches: readonly OffsetRange[], taker: Take): Promise<unknown> => {
      unread = new Map(stretches.map((stretch) => [partitionName(stretch), stretch]));
      [take, now] = [taker, Promise.withResolvers()];
      if (unread.size === 0) now.resolve(undefined);
      return now.promise;
    },
    fail: (error: unknown) => now.reject(error),
    eachBatch: async ({ batch }: EachBatchPayload) => {
      const { topic, partition, messages } = batch;
      const stretch = unread.get(partitionName(batch));
      if (stretch === undefined || Number(batch.firstOffset()) > stretch.to) return;
      const wanted = messages.filter(
        ({ offset }) => Number(offset) >= stretch.from && Number(offset) < stretch.to,
      );
      try {
        await take(wanted.map((message) => ({ topic, partition, message })));
      } catch (error) {
        now.reject(error);
      }
      if (Number(batch.lastOffset()) < stretch.to - 1) return;
      unread.delete(partitionName(batch));
      if (unread.size === 0) now.resolve(undefined);
    },
  };
};

const startReader = async (kafka: KafkaConnection, group: string, topics: readonly string[]) => {
  const consumer = kafka.rereader(group);
  const reading = createReading();
  consumer.on(consumer.events.CRASH, ({ payload }) => reading.fail(payload.error));
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: false });
  await consumer.run({ autoCommit: false, eachBatch: reading.eachBatch });
  const read: ReadRanges = async (stretches, take) => {
    const long = stretches.filter(isLong);
    const finished = reading.begin(long, take);
    for (const { topic, partition, from } of long) consumer.seek({ topic, partition, offset: String(from) });
    await finished;
  };
  return { read, stop: () => consumer.disconnect().catch(() => undefined) };
};

/** Reads topics (by their names on the cluster) as somebody who was never there: through a group of its own that goes afterwards. */
export const withLogReader = async <T>(
  kafka: KafkaConnection,
  topics: readonly string[],
  use: (tools: Tools) => Promise<T>,
): Promise<T> => {
  const group = `reread-${randomUUID()}`;
  const admin = kafka.admin();
  let reader: ReturnType<typeof startReader> | undefined;
  // Nobody joins a group for nothing: the first stretch that is not empty starts it.
  const read: ReadRanges = async (stretches, take) => {
    if (!stretches.some(isLong)) return;
    reader ??= startReader(kafka, group, topics);
    await (await reader).read(stretches, take);
  };
  try {
    await admin.connect();
    return await use({ admin, read });
  } finally {
    await reader?.then(
      ({ stop }) => stop(),
      () => undefined,
    );
    await admin.deleteGroups([kafka.onCluster(group)]).catch(() => undefined);
    await admin.disconnect().catch(() => undefined);
  }
};
