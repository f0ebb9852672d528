import { unavailable } from '#libs/contracts/errors.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { PassingSet } from '#libs/kernel/passing-map.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import { bytesOf, countEvents, eventsIn } from '../encode-event.ts';
import type { ProducerRecord } from '../encode-event.ts';
import type { IdempotentProducer } from './idempotent-producer.ts';
import type { PartitionLeaders } from './partition-leaders.ts';
import { createPartitionQueues } from './partition-queues.ts';
import type { PartitionQueues, QueuedRecord } from './partition-queues.ts';
import { createRequestSender } from './request-sender.ts';

const maxPending = 10_000;
const maxRecordBytes = 786_432;
const requestBounds = { maxRecords: 2_000, maxBytes: 524_288 };
/** A broker that has not answered for so long is known to be away: whoever waits for it is told at once. */
const stalledMs = 2_500;
const closeDeadlineMs = 5_000;

/** The latest time, in ms since the epoch, until which a publisher waits for its records. */
export interface Wait {
  readonly deadlineMs: number;
  /** Whether a caller waits, so that it is better refused at once than in vain later. */
  readonly isUrgent?: boolean;
  /** Whether the records may wait a little for others that are sent with them. */
  readonly lingers?: true | undefined;
}

/** What a buffer is made of. */
export interface ProducerBufferOptions {
  readonly send: IdempotentProducer['send'];
  readonly leaders: Pick<PartitionLeaders, 'partitionOf' | 'leaderOf'>;
  /** Called with the number of events whose publishers wait, whenever it changes. */
  readonly onSize: (size: number) => void;
  /** Called with the number of events of each request. */
  readonly onRequest?: ((events: number) => void) | undefined;
  readonly clock: Clock;
}

/**
 * Records on their way to the log. One request is in flight to each broker; what is appended meanwhile goes into the next one. Of an answer
 * that refuses some partitions the others' records are over, and the refused are sent again beside the next request.
 */
export interface ProducerBuffer {
  /**
   * Resolves when the log has all of the records; refuses UNAVAILABLE when the buffer is full or closed, or the deadline passes first, or
   * the records are urgent and a partition of theirs has been held up for 2.5 s.
   */
  append(records: readonly ProducerRecord[], wait: Wait): Promise<void>;
  /** For how long the oldest record whose publisher waits has waited, in ms; 0 while none does. */
  oldestMs(): number;
  /** Accepts no more records; resolves when all have been sent, after at most five seconds. */
  close(): Promise<void>;
}

/** The records of one publisher, which waits for all of them. Throws when one is larger than 768 KiB. */
const queuedTogether = (records: readonly ProducerRecord[]) => {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const sinceMs = performance.now();
  let left = records.length;
  const settle = (error: Error | undefined): void => {
    if (error) reject(error);
    else if ((left -= 1) === 0) resolve(undefined);
  };
  const queued = records.map((record): QueuedRecord => {
    const bytes = bytesOf(record);
    if (bytes > maxRecordBytes) throw new Error(`${bytes} bytes are too many for one event`);
    return { record, bytes, sinceMs, settle };
  });
  return { queued, acknowledged: promise };
};

/** Whether records are accepted beside as many events as wait. */
const roomIn =
  ({ heldUpSince }: PartitionQueues) =>
  (records: readonly ProducerRecord[], { isUrgent = false }: Wait, pending: number): boolean => {
    const isStalled = (record: ProducerRecord): boolean =>
      performance.now() - (heldUpSince(record) ?? Infinity) > stalledMs;
    if (pending + countEvents(records) > maxPending) return false;
    return !((isUrgent || pending >= maxPending / 2) && records.some(isStalled));
  };

/** For how long the first of some records has waited, in ms: a set keeps the order in which they came. */
const ageOfFirst = (pending: PassingSet<QueuedRecord>): number => {
  const [oldest] = pending.values();
  return oldest === undefined ? 0 : performance.now() - oldest.sinceMs;
};

/** The records whose publishers wait, and where they enter the queues and leave them. */
const createPending = (queues: PartitionQueues, onSize: ProducerBufferOptions['onSize']) => {
  const pending = new PassingSet<QueuedRecord>();
  let events = 0;
  return {
    pending,
    /** How many events they bring. */
    events: (): number => events,
    enter: (all: readonly QueuedRecord[]): void => {
      for (const each of all) {
        pending.add(each);
        queues.add(each);
        events += eventsIn(each.record);
      }
      onSize(events);
    },
    leave: (all: readonly QueuedRecord[]): void => {
      for (const each of all) {
        pending.delete(each);
        queues.remove(each);
        events -= eventsIn(each.record);
      }
      onSize(events);
    },
  };
};

/** A buffer of records with at most 10,000 events, of which those that a broker holds up are at most half. */
export const createProducerBuffer = ({
  send,
  leaders,
  onSize,
  onRequest,
  clock,
}: ProducerBufferOptions): ProducerBuffer => {
  const queues = createPartitionQueues({ leaders, ...requestBounds });
  const { pending, events, enter, leave } = createPending(queues, onSize);
  const hasRoomFor = roomIn(queues);
  const isPending = (each: QueuedRecord): boolean => pending.has(each);
  const sender = createRequestSender(queues, { send, onRequest, isPending });
  let closed = false;
  return {
    append: async (records, wait) => {
      if (records.length === 0) return;
      const { queued, acknowledged } = queuedTogether(records);
      if (closed || !hasRoomFor(records, wait, events())) throw unavailable();
      enter(queued);
      sender.schedule(wait);
      try {
        await withDeadline(acknowledged, wait.deadlineMs - clock(), unavailable);
      } finally {
        leave(queued);
      }
    },
    oldestMs: () => ageOfFirst(pending),
    close: async () => {
      closed = true;
      await withDeadline(sender.drain(), closeDeadlineMs, unavailable).catch(() => undefined);
      for (const each of pending.values()) each.settle(unavailable());
    },
  };
};
