import { unavailable } from '#libs/contracts/errors.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import { createRecordAccumulator } from './record-accumulator.ts';
import type { ProducerRecord } from './record-accumulator.ts';

const maxRecords = 10_000;
const maxRecordBytes = 786_432;
const closeDeadlineMs = 5_000;

interface ProducerBufferOptions {
  /** Sends what the function returns, in order, asking again before each try. Resolves when the log has it all. */
  readonly send: (letters: () => readonly ProducerRecord[]) => Promise<void>;
  readonly onSize: (size: number) => void;
  readonly clock: Clock;
}

/** Letters on their way. One batch is in flight; what is posted meanwhile goes in the next one. */
export interface ProducerBuffer {
  /** Resolves when the letter has arrived; refuses UNAVAILABLE when the outbox is full or closed, or the deadline passes first. */
  post(letter: ProducerRecord): Promise<void>;
  /** Takes no more letters; resolves when the last has left, after at most five seconds. */
  close(): Promise<void>;
}

const bytesOf = ({ key, value, headers }: ProducerRecord): number =>
  Buffer.byteLength(value) +
  key.length +
  Object.entries(headers).reduce((sum, [name, text]) => sum + name.length + text.length, 0);

/** An outbox that holds at most 10,000 letters. */
export const createProducerBuffer = ({ send, onSize, clock }: ProducerBufferOptions): ProducerBuffer => {
  const pile = createRecordAccumulator(onSize, clock);
  let pumping: Promise<void> | undefined;
  let closed = false;

  const sendNext = async (): Promise<void> => {
    const batch = pile.next();
    const failure = await send(() => pile.stillWanted(batch)).then(() => undefined, unavailable);
    for (const each of batch) pile.settle(each, failure);
  };
  const pump = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    while (pile.hasNext()) await sendNext();
    pumping = undefined;
  };

  return {
    post: async (letter) => {
      const bytes = bytesOf(letter);
      if (bytes > maxRecordBytes) throw new Error(`${bytes} bytes are too many for one event`);
      if (closed || pile.size >= maxRecords) throw unavailable();
      const arrived = pile.add(letter, bytes);
      pumping ??= pump();
      await arrived;
    },
    close: async () => {
      closed = true;
      await withDeadline(pumping ?? Promise.resolve(), closeDeadlineMs, unavailable).catch(() => undefined);
      pile.abandon(unavailable());
    },
  };
};
