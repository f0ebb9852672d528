import type { Producer } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import { exponentialBackoffMs, sleep, withDeadline } from '#libs/runtime/wait.ts';

const initialBackoffMs = 100;
const maxBackoffMs = 1_000;
const disconnectDeadlineMs = 2_000;

const disconnectInTime = (producer: Producer): Promise<void> => {
  const late = () => new Error('the producer did not disconnect in time');
  return withDeadline(producer.disconnect(), disconnectDeadlineMs, late).catch(() => undefined);
};

/** Retries until the producer is connected, or the signal aborts. */
const connectWithRetry = async (producer: Producer, log: Log, signal: AbortSignal): Promise<void> => {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await producer.connect();
      return;
    } catch (error) {
      log.warn({ error, attempt }, 'the producer could not connect; trying again');
    }
    await sleep(exponentialBackoffMs(attempt, initialBackoffMs, maxBackoffMs), signal);
  }
};

/** A producer and the number of its sends in flight. */
interface Generation {
  readonly producer: Producer;
  readonly connected: Promise<void>;
  sends: number;
}

/** Producers of which each is used until a send of it fails: the next sends use another one, and those in flight end on it. */
export interface ProducerGenerations {
  /** Resolves when the producer of the next sends is connected. */
  connected(): Promise<void>;
  /** Sends by a connected producer, which is replaced when `fails` says so of what came of it. */
  use<T>(send: (producer: Producer) => Promise<T>, fails: (result: T) => boolean): Promise<T>;
  /** Disconnects all, each within two seconds. */
  close(): Promise<unknown>;
}

/** `create` makes a producer, which is connected when it is used first. */
export const createGenerations = (
  create: () => Producer,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): ProducerGenerations => {
  const open = new Set<Generation>();
  let current: Generation | undefined;
  const connect = (): Generation => {
    const producer = create();
    const generation = { producer, connected: connectWithRetry(producer, log, signal), sends: 0 };
    open.add(generation);
    return generation;
  };
  const closeIfUnused = async (generation: Generation): Promise<void> => {
    if (generation === current || generation.sends > 0 || !open.delete(generation)) return;
    await disconnectInTime(generation.producer);
  };
  return {
    connected: () => (current ??= connect()).connected,
    use: async (send, fails) => {
      const generation = (current ??= connect());
      generation.sends += 1;
      await generation.connected;
      const result = await send(generation.producer);
      generation.sends -= 1;
      if (fails(result) && generation === current) current = undefined;
      void closeIfUnused(generation);
      return result;
    },
    close: () => Promise.all([...open].map(({ producer }) => disconnectInTime(producer))),
  };
};
