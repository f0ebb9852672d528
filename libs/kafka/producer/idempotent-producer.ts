import type { Producer, RecordMetadata } from 'kafkajs';
import errors from 'kafkajs/src/protocol/error.js';
import type { Log } from '#libs/runtime/log.ts';
import { exponentialBackoffMs, sleep, withDeadline } from '#libs/runtime/wait.ts';
import { messagesOf } from '../bundle.ts';
import type { KafkaConnection } from '../connection.ts';
import type { EncodedEvent } from '../encode-event.ts';
import { partitionName } from '../fetched-message.ts';
import type { PartitionLeaders } from './partition-leaders.ts';

const initialBackoffMs = 100;
const maxBackoffMs = 1_000;
const disconnectDeadlineMs = 2_000;

/** An encoded event for a topic, named as on the cluster. */
export interface ProducerRecord extends EncodedEvent {
  readonly topic: string;
}

/** A producer that goes on after failures. */
export interface IdempotentProducer {
  connect(): Promise<void>;
  /**
   * Retries until the log has acknowledged all, calling `records` again before each try; when that returns none it resolves as well. Calls
   * `onTaken` with those that the log has while others must be sent again. Rejects only after `disconnect`.
   */
  send(
    records: () => readonly ProducerRecord[],
    onTaken?: (taken: readonly ProducerRecord[]) => void,
  ): Promise<void>;
  disconnect(): Promise<void>;
}

/** What sends a batch once. */
interface Sender extends Pick<PartitionLeaders, 'partitionOf'> {
  readonly producer: Producer;
  readonly bundles: boolean;
  readonly log: Log;
}

const noteRefused = (answers: readonly RecordMetadata[], log: Log): void => {
  for (const { topicName: topic, partition, errorCode } of answers.filter(({ errorCode }) => errorCode !== 0))
    log.warn(
      { topic, partition, error: errors.createErrorFromCode(errorCode).type },
      'a partition refused its records',
    );
};

/**
 * Sends records once; resolves to those that no broker has confirmed by topic and partition: kafkajs 2.2.4 resolves a batch without some of
 * them when a partition moves, between two tries, to a broker that has answered already (its issue 1303), and when a partition refuses what
 * others have taken (kafkajs-fixes/partial-answers.ts).
 */
const unconfirmedAfterSend = async (
  { producer, partitionOf, bundles, log }: Sender,
  records: readonly ProducerRecord[],
): Promise<readonly ProducerRecord[]> => {
  const inTopics = [...Map.groupBy(records, ({ topic }) => topic)].map(([topic, same]) => ({
    topic,
    messages: messagesOf(same, (event) => (bundles ? partitionOf(topic, event) : undefined)),
  }));
  const topicMessages = inTopics.map(({ topic, messages }) => ({ topic, messages: [...messages.keys()] }));
  const answers = await producer.sendBatch({ topicMessages });
  noteRefused(answers, log);
  const confirmed = new Set(
    answers
      .filter(({ errorCode }) => errorCode === 0)
      .map(({ topicName: topic, partition }) => partitionName({ topic, partition })),
  );
  return inTopics.flatMap(({ topic, messages }) =>
    [...messages].flatMap(([{ partition }, carried]) =>
      partition !== undefined && confirmed.has(partitionName({ topic, partition })) ? [] : carried,
    ),
  );
};

/** As `unconfirmedAfterSend`; all records when the send failed. */
const trySend = async (
  sender: Sender,
  records: readonly ProducerRecord[],
): Promise<readonly ProducerRecord[]> => {
  try {
    const unsent = await unconfirmedAfterSend(sender, records);
    if (unsent.length > 0) sender.log.warn({ count: unsent.length }, 'a batch was confirmed only in part');
    return unsent;
  } catch (error) {
    sender.log.warn(
      { error, count: records.length },
      'a batch was not sent; trying again with a new producer',
    );
    return records;
  }
};

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

/** The producer of the next sends, and earlier ones whose sends in flight end on them. */
const createGenerations = (connect: () => Generation) => {
  const open = new Set<Generation>();
  let current: Generation | undefined;
  return {
    current: (): Generation => {
      current ??= connect();
      open.add(current);
      return current;
    },
    /** The next sends use another producer. */
    replace: (generation: Generation): void => {
      if (generation === current) current = undefined;
    },
    /** Disconnects a producer that was replaced, after its last send. */
    closeIfUnused: async (generation: Generation): Promise<void> => {
      if (generation === current || generation.sends > 0 || !open.delete(generation)) return;
      await disconnectInTime(generation.producer);
    },
    close: () => Promise.all([...open].map(({ producer }) => disconnectInTime(producer))),
  };
};

/**
 * Sends several batches at once, no two of which may have a partition in common. The producer is replaced after a send that failed for
 * good (kafkajs itself retries for a minute) or was confirmed only in part: the next sequence numbers may then be those of messages that
 * the broker already has, which would discard new ones as duplicates.
 */
export const createIdempotentProducer = (
  kafka: KafkaConnection,
  { partitioner, partitionOf }: Pick<PartitionLeaders, 'partitioner' | 'partitionOf'>,
  log: Log,
): IdempotentProducer => {
  const disconnected = new AbortController();
  const { signal } = disconnected;
  const generations = createGenerations(() => {
    const producer = kafka.producer(partitioner);
    return { producer, connected: connectWithRetry(producer, log, signal), sends: 0 };
  });
  const sendOnce = async (batch: readonly ProducerRecord[]): Promise<readonly ProducerRecord[]> => {
    const generation = generations.current();
    generation.sends += 1;
    await generation.connected;
    const sender = { producer: generation.producer, partitionOf, bundles: kafka.bundles, log };
    const unsent = signal.aborted ? batch : await trySend(sender, batch);
    generation.sends -= 1;
    if (unsent.length > 0) generations.replace(generation);
    void generations.closeIfUnused(generation);
    return unsent;
  };
  return {
    connect: () => generations.current().connected,
    send: async (records, onTaken = () => undefined) => {
      for (let batch = records(), attempt = 0; batch.length > 0; attempt += 1) {
        if (signal.aborted) throw new Error('the producer has been disconnected');
        const unsent = new Set(await sendOnce(batch));
        if (unsent.size === 0) return;
        onTaken(batch.filter((record) => !unsent.has(record)));
        await sleep(exponentialBackoffMs(attempt, initialBackoffMs, maxBackoffMs), signal);
        batch = records().filter((record) => unsent.has(record));
      }
    },
    disconnect: async () => {
      disconnected.abort();
      await generations.close();
    },
  };
};
