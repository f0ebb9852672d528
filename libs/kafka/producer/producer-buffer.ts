import { unavailable } from '#libs/contracts/errors.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { IdempotentProducer, ProducerRecord } from './idempotent-producer.ts';

const maxRecords = 10_000;
const maxRecordBytes = 786_432;
const maxBatchRecords = 2_000;
const maxBatchBytes = 524_288;
const closeDeadlineMs = 5_000;

/** A record and the latest time, in ms since the epoch, until which its publisher waits for it. */
export interface BufferedRecord extends ProducerRecord {
  readonly deadlineMs: number;
}

interface ProducerBufferOptions {
  readonly send: IdempotentProducer['send'];
  /** Called with the number of records whose publishers wait, whenever it changes. */
  readonly onSize: (size: number) => void;
  readonly clock: Clock;
}

/** Records on their way to the log. One batch is in flight; what is appended meanwhile goes into the next one. */
export interface ProducerBuffer {
  /** Resolves when the log has the record; refuses UNAVAILABLE when the buffer is full or closed, or the deadline passes first. */
  append(record: BufferedRecord): Promise<void>;
  /** Accepts no more records; resolves when all have been sent, after at most five seconds. */
  close(): Promise<void>;
}

/** A record whose publisher waits. */
interface Pending {
  readonly record: BufferedRecord;
  readonly bytes: number;
  readonly acknowledged: PromiseWithResolvers<void>;
}

const bytesOf = ({ key, value, headers }: ProducerRecord): number =>
  Buffer.byteLength(value) +
  key.length +
  Object.entries(headers).reduce((sum, [name, text]) => sum + name.length + text.length, 0);

/** Throws when the record is larger than 768 KiB. */
const pendingOf = (record: BufferedRecord): Pending => {
  const bytes = bytesOf(record);
  if (bytes > maxRecordBytes) throw new Error(`${bytes} bytes are too many for one event`);
  return { record, bytes, acknowledged: Promise.withResolvers() };
};

/** The oldest records that fit into one request; removes them. */
const takeBatch = (unsent: Set<Pending>): Pending[] => {
  const batch: Pending[] = [];
  let bytes = 0;
  for (const each of unsent) {
    bytes += each.bytes;
    if (batch.length === maxBatchRecords || (batch.length > 0 && bytes > maxBatchBytes)) break;
    batch.push(each);
    unsent.delete(each);
  }
  return batch;
};

/** The records of a batch whose publishers still wait. */
const recordsOf = (batch: readonly Pending[], pending: ReadonlySet<Pending>): ProducerRecord[] =>
  batch.filter((each) => pending.has(each)).map(({ record }) => record);

const settle = ({ acknowledged }: Pending, error: Error | undefined): void =>
  error ? acknowledged.reject(error) : acknowledged.resolve();

/** A buffer of at most 10,000 records. */
export const createProducerBuffer = ({ send, onSize, clock }: ProducerBufferOptions): ProducerBuffer => {
  const pending = new Set<Pending>();
  const unsent = new Set<Pending>();
  let sending: Promise<void> | undefined;
  let closed = false;

  const sendAll = async (): Promise<void> => {
    // All records that are appended in the same turn of the event loop share a batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (unsent.size > 0) {
      const batch = takeBatch(unsent);
      const failure = await send(() => recordsOf(batch, pending)).then(() => undefined, unavailable);
      for (const each of batch) settle(each, failure);
    }
    sending = undefined;
  };
  const untilAcknowledged = async (each: Pending): Promise<void> => {
    pending.add(each);
    unsent.add(each);
    onSize(pending.size);
    sending ??= sendAll();
    const remainingMs = each.record.deadlineMs - clock();
    await withDeadline(each.acknowledged.promise, remainingMs, unavailable).finally(() => {
      pending.delete(each);
      unsent.delete(each);
      onSize(pending.size);
    });
  };

  return {
    append: async (record) => {
      const each = pendingOf(record);
      if (closed || pending.size >= maxRecords) throw unavailable();
      await untilAcknowledged(each);
    },
    close: async () => {
      closed = true;
      await withDeadline(sending ?? Promise.resolve(), closeDeadlineMs, unavailable).catch(() => undefined);
      for (const each of pending) settle(each, unavailable());
    },
  };
};
