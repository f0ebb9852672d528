import type { Log } from '#libs/runtime/log.ts';
import { sleep } from '#libs/runtime/wait.ts';
import type { KafkaConnection } from '../connection.ts';
import type { ProducerRecord } from '../encode-event.ts';
import type { PartitionLeaders } from './partition-leaders.ts';
import { createGenerations } from './producer-generations.ts';
import type { ProducerGenerations } from './producer-generations.ts';
import { trySend } from './try-send.ts';
import type { Tried } from './try-send.ts';

const firstPauseMs = 100;
const againEveryMs = 1_000;

/** How records are sent. */
export interface SendOptions {
  /** Called with records that the log has, at once; some of a batch while others must be sent again. */
  readonly onTaken?: ((taken: readonly ProducerRecord[]) => void) | undefined;
  /** Their partitions refused what was sent to them last. */
  readonly wereRefused?: boolean;
}

/** A producer that goes on after failures. */
export interface IdempotentProducer {
  connect(): Promise<void>;
  /** Retries until the log has acknowledged all, calling `records` again before each try; when that returns none it resolves as well. Rejects only after `disconnect`. */
  send(records: () => readonly ProducerRecord[], options?: SendOptions): Promise<void>;
  disconnect(): Promise<void>;
}

/** Sends a batch once, by a producer of these. */
type SendOnce = (batch: readonly ProducerRecord[], by: ProducerGenerations) => Promise<Tried>;

/** Who sends at first, and who sends again: a refusal that lasts replaces no producer of others. */
interface Producers {
  readonly usual: ProducerGenerations;
  readonly again: ProducerGenerations;
}

/** In which parts a batch is tried, one after another: whole; after a failure without an answer by topic, since it may be about one of them. */
const partsOf = (batch: readonly ProducerRecord[], isAnswered: boolean): (readonly ProducerRecord[])[] =>
  isAnswered ? [batch] : [...Map.groupBy(batch, ({ topic }) => topic).values()];

/**
 * Tries until all is sent. What has failed twice is tried once a second, all of it at the same time: however much that is, it replaces one
 * producer a second.
 */
const createSend = (sendOnce: SendOnce, { usual, again }: Producers, signal: AbortSignal) => {
  const untilNextTries = (): Promise<void> =>
    sleep(againEveryMs - (performance.now() % againEveryMs), signal);
  const send: IdempotentProducer['send'] = async (records, { onTaken, wereRefused = false } = {}) => {
    const sent = new Set<ProducerRecord>();
    const unsent = () => records().filter((record) => !sent.has(record));
    /** Whether the brokers said of each partition what became of it. */
    const tryPart = async (part: readonly ProducerRecord[], by: ProducerGenerations): Promise<boolean> => {
      if (signal.aborted) throw new Error('the producer has been disconnected');
      const wanted = new Set(unsent());
      const some = part.filter((record) => wanted.has(record));
      const tried = await sendOnce(some, by);
      const left = new Set(tried.unsent);
      const taken = some.filter((record) => !left.has(record));
      for (const record of taken) sent.add(record);
      if (tried.isAnswered || taken.length > 0) onTaken?.(taken);
      return tried.isAnswered;
    };
    if (wereRefused) await untilNextTries();
    let [by, isAnswered] = [wereRefused ? again : usual, true];
    for (let batch = unsent(); batch.length > 0; batch = unsent()) {
      const parts = partsOf(batch, isAnswered);
      isAnswered = true;
      for (const part of parts) isAnswered = (await tryPart(part, by)) && isAnswered;
      if (unsent().length === 0) return;
      await (by === usual ? sleep(firstPauseMs, signal) : untilNextTries());
      by = again;
    }
  };
  return send;
};

/**
 * Sends several batches at once, no two of which may have a partition in common. The producer is replaced after a send that failed for
 * good (kafkajs itself retries for a minute), was confirmed only in part, or was counted wrongly: the next sequence
 * numbers may then be those of messages that the broker already has, which would discard new ones as duplicates (D-69).
 */
export const createIdempotentProducer = (
  kafka: KafkaConnection,
  { partitioner, partitionOf }: Pick<PartitionLeaders, 'partitioner' | 'partitionOf'>,
  log: Log,
): IdempotentProducer => {
  const disconnected = new AbortController();
  const { signal } = disconnected;
  const generations = () => createGenerations(() => kafka.producer(partitioner), { log, signal });
  const [usual, again] = [generations(), generations()];
  const sending = { partitionOf, bundles: kafka.bundles, log };
  const sendOnce: SendOnce = (batch, by) =>
    by.use(
      async (producer) =>
        signal.aborted
          ? { unsent: batch, isAnswered: false, isSpent: true }
          : trySend(producer, sending, batch),
      ({ isSpent }) => isSpent,
    );
  return {
    connect: usual.connected,
    send: createSend(sendOnce, { usual, again }, signal),
    disconnect: async () => {
      disconnected.abort();
      await Promise.all([usual.close(), again.close()]);
    },
  };
};
