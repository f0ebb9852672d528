import { unavailable } from '#libs/contracts/errors.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { IdempotentProducer, ProducerRecord } from './idempotent-producer.ts';
import type { PartitionLeaders } from './partition-leaders.ts';
import { createPartitionQueues } from './partition-queues.ts';
import type { PartitionQueues, ProduceRequest, QueuedRecord } from './partition-queues.ts';

const maxPending = 10_000;
const maxRecordBytes = 786_432;
const requestBounds = { maxRecords: 2_000, maxBytes: 524_288 };
/** A broker that has not answered for so long is known to be away: whoever waits for it is told at once. */
const stalledMs = 2_500;
const closeDeadlineMs = 5_000;

/** A record and the latest time, in ms since the epoch, until which its publisher waits for it. */
export interface BufferedRecord extends ProducerRecord {
  readonly deadlineMs: number;
  /** Whether a caller waits, so that it is better refused at once than in vain later. */
  readonly isUrgent?: boolean;
}

interface ProducerBufferOptions {
  readonly send: IdempotentProducer['send'];
  readonly leaders: Pick<PartitionLeaders, 'partitionOf' | 'leaderOf'>;
  /** Called with the number of records whose publishers wait, whenever it changes. */
  readonly onSize: (size: number) => void;
  readonly clock: Clock;
}

/** Records on their way to the log. One request is in flight to each broker; what is appended meanwhile goes into the next one. */
export interface ProducerBuffer {
  /**
   * Resolves when the log has the record; refuses UNAVAILABLE when the buffer is full or closed, or the deadline passes first, or the
   * record is urgent and its partition has been held up for 2.5 s.
   */
  append(record: BufferedRecord): Promise<void>;
  /** Accepts no more records; resolves when all have been sent, after at most five seconds. */
  close(): Promise<void>;
}

const bytesOf = ({ key, value, headers }: ProducerRecord): number =>
  Buffer.byteLength(value) +
  key.length +
  Object.entries(headers).reduce((sum, [name, text]) => sum + name.length + text.length, 0);

/** Throws when the record is larger than 768 KiB. */
const queued = (record: BufferedRecord): QueuedRecord => {
  const bytes = bytesOf(record);
  if (bytes > maxRecordBytes) throw new Error(`${bytes} bytes are too many for one event`);
  return { record, bytes, acknowledged: Promise.withResolvers() };
};

const settle = ({ acknowledged }: QueuedRecord, error: Error | undefined): void =>
  error ? acknowledged.reject(error) : acknowledged.resolve();

/** Sends what waits in the queues, each time it is asked to and each time a request is over. */
const createRequestSender = (
  queues: PartitionQueues,
  { send, isPending }: { send: ProducerBufferOptions['send']; isPending: (each: QueuedRecord) => boolean },
) => {
  let drained: (() => void) | undefined;
  let scheduled = false;
  const sendRequest = async (request: ProduceRequest): Promise<void> => {
    const stillPending = () => request.records.filter(isPending).map(({ record }) => record);
    const failure = await send(stillPending).then(() => undefined, unavailable);
    for (const each of request.records) settle(each, failure);
    queues.release(request);
    sendAll();
  };
  const sendAll = (): void => {
    for (const request of queues.next()) void sendRequest(request);
    if (queues.inFlight() === 0) drained?.();
  };
  return {
    /** All records that are added in the same turn of the event loop share requests. */
    schedule: (): void => {
      if (scheduled) return;
      scheduled = true;
      setImmediate(() => {
        scheduled = false;
        sendAll();
      });
    },
    /** Resolves when nothing waits and nothing is in flight. */
    drain: (): Promise<void> =>
      new Promise((resolve) => {
        drained = resolve;
        sendAll();
      }),
  };
};

/** A buffer of at most 10,000 records, of which those that a broker holds up are at most half. */
export const createProducerBuffer = ({
  send,
  leaders,
  onSize,
  clock,
}: ProducerBufferOptions): ProducerBuffer => {
  const queues = createPartitionQueues({ leaders, ...requestBounds });
  const pending = new Set<QueuedRecord>();
  const sender = createRequestSender(queues, { send, isPending: (each) => pending.has(each) });
  let closed = false;

  const isStalled = (record: BufferedRecord): boolean =>
    performance.now() - (queues.heldUpSince(record) ?? Infinity) > stalledMs;
  const refuses = (record: BufferedRecord): boolean => {
    if (closed || pending.size >= maxPending) return true;
    return (record.isUrgent === true || pending.size >= maxPending / 2) && isStalled(record);
  };
  return {
    append: async (record) => {
      const each = queued(record);
      if (refuses(record)) throw unavailable();
      pending.add(each);
      queues.add(each);
      onSize(pending.size);
      sender.schedule();
      await withDeadline(each.acknowledged.promise, record.deadlineMs - clock(), unavailable).finally(() => {
        pending.delete(each);
        queues.remove(each);
        onSize(pending.size);
      });
    },
    close: async () => {
      closed = true;
      await withDeadline(sender.drain(), closeDeadlineMs, unavailable).catch(() => undefined);
      for (const each of pending) settle(each, unavailable());
    },
  };
};
