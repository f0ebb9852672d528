import { unavailable } from '#libs/contracts/errors.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { Envelope } from './envelope.ts';

const mostLetters = 10_000;
const mostBatchLetters = 2_000;
const mostBatchBytes = 524_288;
const mostLetterBytes = 786_432;
const expiryCheckMs = 100;
const closeDeadlineMs = 5_000;

/** An envelope with an address, and how long (ms since epoch) its sender waits for it to arrive. */
export interface Letter extends Envelope {
  readonly topic: string;
  readonly deadlineMs: number;
}

interface Waiting {
  readonly letter: Letter;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface OutboxOptions {
  /** Sends what the function returns, in order, asking again before each try. Resolves when the log has it all. */
  readonly send: (letters: () => readonly Letter[]) => Promise<void>;
  readonly onSize: (size: number) => void;
  readonly clock: Clock;
}

/** Letters on their way. One batch is in flight; what is posted meanwhile goes in the next one. */
export interface Outbox {
  /** Resolves when the letter has arrived; refuses UNAVAILABLE when the outbox is full or closed, or the deadline passes first. */
  post(letter: Letter): Promise<void>;
  /** Takes no more letters; resolves when the last has left, after at most five seconds. */
  close(): Promise<void>;
}

const bytesOf = ({ key, value, headers }: Letter): number =>
  Buffer.byteLength(value) +
  key.length +
  Object.entries(headers).reduce((sum, [name, text]) => sum + name.length + text.length, 0);

const nextBatch = (queue: ReadonlySet<Waiting>): Waiting[] => {
  const batch: Waiting[] = [];
  let bytes = 0;
  for (const waiting of queue) {
    bytes += waiting.bytes;
    if (batch.length === mostBatchLetters || (batch.length > 0 && bytes > mostBatchBytes)) break;
    batch.push(waiting);
  }
  return batch;
};

/** Tells `expire` ten times a second who has waited too long, while anybody waits. */
const watchDeadlines = (
  waiting: ReadonlySet<Waiting>,
  clock: Clock,
  expire: (late: Waiting) => void,
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

/** An outbox that holds at most 10,000 letters. */
export const createOutbox = ({ send, onSize, clock }: OutboxOptions): Outbox => {
  const waiting = new Set<Waiting>();
  const queue = new Set<Waiting>();
  let pumping: Promise<void> | undefined;
  let closed = false;

  const settle = (each: Waiting, error?: Error): void => {
    queue.delete(each);
    if (!waiting.delete(each)) return;
    onSize(waiting.size);
    if (error) each.reject(error);
    else each.resolve();
  };
  const watch = watchDeadlines(waiting, clock, (late) => settle(late, unavailable()));

  const sendNext = async (): Promise<void> => {
    const batch = nextBatch(queue);
    for (const each of batch) queue.delete(each);
    const wanted = () => batch.filter((each) => waiting.has(each)).map(({ letter }) => letter);
    const failure = await send(wanted).then(() => undefined, unavailable);
    for (const each of batch) settle(each, failure);
  };
  const pump = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (queue.size > 0) await sendNext();
    pumping = undefined;
  };

  return {
    post: (letter) =>
      new Promise((resolve, reject) => {
        const bytes = bytesOf(letter);
        if (bytes > mostLetterBytes) return reject(new Error(`${bytes} bytes are too many for one event`));
        if (closed || waiting.size >= mostLetters) return reject(unavailable());
        const each: Waiting = { letter, bytes, resolve, reject };
        waiting.add(each);
        queue.add(each);
        onSize(waiting.size);
        watch();
        pumping ??= pump();
      }),
    close: async () => {
      closed = true;
      await withDeadline(pumping ?? Promise.resolve(), closeDeadlineMs, unavailable).catch(() => undefined);
      for (const each of waiting) settle(each, unavailable());
    },
  };
};
