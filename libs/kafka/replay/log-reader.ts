import { randomUUID } from 'node:crypto';
import type { Admin } from 'kafkajs';
import { topics } from '#libs/contracts/topics.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import { unbundled } from '../bundle.ts';
import type { KafkaConnection } from '../connection.ts';
import { newestMessage, retainedRanges, startingAt } from './offset-ranges.ts';
import type { OffsetRange, RangeSince } from './offset-ranges.ts';
import { createRangeConsumer } from './range-consumer.ts';
import type { OnMessages, RangeConsumer } from './range-consumer.ts';

const stallMs = 60_000;
const closeDeadlineMs = 3_000;

/** The topics to read, and what ends the reading early. */
export interface LogReaderOptions {
  readonly kafka: KafkaConnection;
  readonly topics: readonly TopicName[];
  readonly signal?: AbortSignal | undefined;
}

/** Reads topics outside any consumer group's progress. Every method rejects when the log gives nothing for a minute, or the signal aborts. */
export interface LogReader {
  /** What the topics hold now of the messages written since an instant (ms since the epoch; 0 for all). */
  rangesSince(sinceMs: number): Promise<RangeSince[]>;
  /**
   * What the topics hold now of the messages written in the last `windowMs` before the newest one, however old that is: the newest of all
   * topics of one key, because what is said of one record on one topic may be over by what is said on another.
   */
  newestRanges(windowMs: number): Promise<OffsetRange[]>;
  /** Reads ranges to their ends, each event of a bundle as a message of its own. Rejects with what `onMessages` threw. */
  read(ranges: readonly OffsetRange[], onMessages: OnMessages): Promise<void>;
  /** As `read`, with bundles as they stand there. */
  readWhole(ranges: readonly OffsetRange[], onMessages: OnMessages): Promise<void>;
}

/** Settles as `work` does; rejects when it has not reported progress for a minute, or the signal aborts. */
const unlessStalled = async <T>(
  signal: AbortSignal | undefined,
  work: (progress: () => void) => Promise<T>,
): Promise<T> => {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the log gave nothing for a minute')), stallMs);
  const onAbort = (): void => reject(new Error('reading the log was aborted'));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  try {
    return await Promise.race([stalled, work(() => void timer.refresh())]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
};

interface ReaderParts {
  readonly admin: Admin;
  readonly consumer: RangeConsumer;
  /** What the messages of each topic are keyed by. */
  readonly keys: ReadonlyMap<string, string>;
  readonly signal: AbortSignal | undefined;
}

const createReader = ({ admin, consumer, keys, signal }: ReaderParts): LogReader => {
  const retained = () => unlessStalled(signal, () => retainedRanges(admin, [...keys.keys()]));
  const since = (ranges: readonly OffsetRange[], sinceMs: number) =>
    unlessStalled(signal, () => startingAt(admin, ranges, sinceMs));
  const readWhole: LogReader['readWhole'] = (ranges, onMessages) =>
    unlessStalled(signal, (progress) =>
      consumer.read(ranges, async (messages) => {
        progress();
        await onMessages(messages);
        progress();
      }),
    );
  const read: LogReader['read'] = (ranges, onMessages) =>
    readWhole(ranges, (messages) => onMessages(messages.flatMap(unbundled)));
  const newestRanges: LogReader['newestRanges'] = async (windowMs) => {
    const ranges = await retained();
    const newestMs = new Map<string, number>();
    await read(ranges.map(newestMessage), (messages) => {
      for (const { topic, message } of messages) {
        const key = keys.get(topic) ?? '';
        newestMs.set(key, Math.max(newestMs.get(key) ?? 0, Number(message.timestamp)));
      }
    });
    const found = [...newestMs].map(([key, atMs]) => {
      const ofKey = ranges.filter(({ topic }) => keys.get(topic) === key);
      return since(ofKey, Math.max(0, atMs - windowMs));
    });
    return (await Promise.all(found)).flat();
  };
  return { read, readWhole, newestRanges, rangesSince: async (sinceMs) => since(await retained(), sinceMs) };
};

/** Gives `use` a reader of these topics. Its consumer group exists only for that time: no offsets are committed, no other group is touched. */
export const withLogReader = async <T>(
  { kafka, topics: names, signal }: LogReaderOptions,
  use: (reader: LogReader) => Promise<T>,
): Promise<T> => {
  const keys = new Map(names.map((name) => [kafka.onCluster(name), topics[name].key]));
  const group = `reread-${randomUUID()}`;
  const admin = kafka.admin();
  const consumer = createRangeConsumer(kafka, group, [...keys.keys()]);
  const close = async (): Promise<void> => {
    await consumer.stop();
    await admin.deleteGroups([kafka.onCluster(group)]).catch(() => undefined);
    await admin.disconnect();
  };
  try {
    await unlessStalled(signal, () => admin.connect());
    return await use(createReader({ admin, consumer, keys, signal }));
  } finally {
    const late = () => new Error('the reader of the log could not be closed in time');
    await withDeadline(close(), closeDeadlineMs, late).catch(() => undefined);
  }
};
