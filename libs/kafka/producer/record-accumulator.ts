import { unavailable } from '#libs/contracts/errors.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Envelope } from '../encode-event.ts';

const maxBatchRecords = 2_000;
const maxBatchBytes = 524_288;
const expiryCheckMs = 100;

/** An envelope with an address, and how long (ms since epoch) its sender waits for it to arrive. */
export interface ProducerRecord extends Envelope {
  readonly topic: string;
  readonly deadlineMs: number;
}

/** A letter whose sender waits. */
export interface PendingRecord {
  readonly letter: ProducerRecord;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The letters of an outbox: those that nobody has taken yet, in order, and those that are on their way. */
export interface RecordAccumulator {
  /** Letters whose senders wait. */
  readonly size: number;
  /** Settles when the letter does, or refuses UNAVAILABLE when its deadline passes. */
  add(letter: ProducerRecord, bytes: number): Promise<void>;
  hasNext(): boolean;
  /** Takes as many from the front as make one request: at most 2,000 and half a mebibyte. */
  next(): PendingRecord[];
  /** Those whose senders have not given up. */
  stillWanted(batch: readonly PendingRecord[]): ProducerRecord[];
  settle(each: PendingRecord, error?: Error): void;
  /** Refuses all that are left. */
  abandon(error: Error): void;
}

const takeBatch = (queue: ReadonlySet<PendingRecord>): PendingRecord[] => {
  const batch: PendingRecord[] = [];
  let bytes = 0;
  for (const waiting of queue) {
    bytes += waiting.bytes;
    if (batch.length === maxBatchRecords || (batch.length > 0 && bytes > maxBatchBytes)) break;
    batch.push(waiting);
  }
  return batch;
};

/** Tells `expire` ten times a second who has waited too long, while anybody waits. */
const watchDeadlines = (
  waiting: ReadonlySet<PendingRecord>,
  clock: Clock,
  expire: (late: PendingRecord) => void,
): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    for (const each of waiting) if (each.letter.deadlineMs <= clock()) expire(each);
    timer = waiting.size > 0 ? setTimeout(check, expiryCheckMs) : undefined;
  };
  return () => {
    timer ??= setTimeout(check, expiryCheckMs);
  };
};

/** An empty pile; `onSize` is told whenever the number of waiting senders changes. */
export const createRecordAccumulator = (onSize: (size: number) => void, clock: Clock): RecordAccumulator => {
  const waiting = new Set<PendingRecord>();
  const queue = new Set<PendingRecord>();
  const settle = (each: PendingRecord, error?: Error): void => {
    queue.delete(each);
    if (!waiting.delete(each)) return;
    onSize(waiting.size);
    if (error) each.reject(error);
    else each.resolve();
  };
  const watch = watchDeadlines(waiting, clock, (late) => settle(late, unavailable()));
  return {
    get size() {
      return waiting.size;
    },
    add: (letter, bytes) =>
      new Promise((resolve, reject) => {
        const each: PendingRecord = { letter, bytes, resolve, reject };
        waiting.add(each);
        queue.add(each);
        onSize(waiting.size);
        watch();
      }),
    hasNext: () => queue.size > 0,
    next: () => {
      const batch = takeBatch(queue);
      for (const each of batch) queue.delete(each);
      return batch;
    },
    stillWanted: (batch) => batch.filter((each) => waiting.has(each)).map(({ letter }) => letter),
    settle,
    abandon: (error) => {
      for (const each of waiting) settle(each, error);
    },
  };
};
