import type { Message, Producer, TopicMessages } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import { exponentialBackoffMs, sleep, withDeadline } from '#libs/runtime/wait.ts';
import type { KafkaConnection } from '../connection.ts';
import type { EncodedEvent } from '../encode-event.ts';
import { unconfirmedOf } from './confirmed-partitions.ts';

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
  /** Retries until the log has acknowledged all, calling `records` again before each try; when that returns none it resolves as well. Rejects only after `disconnect`. */
  send(records: () => readonly ProducerRecord[]): Promise<void>;
  disconnect(): Promise<void>;
}

const byTopic = (messages: ReadonlyMap<Message, ProducerRecord>): TopicMessages[] =>
  [...Map.groupBy(messages, ([, { topic }]) => topic)].map(([topic, same]) => ({
    topic,
    messages: same.map(([message]) => message),
  }));

const messageOf = ({ key, value, headers }: ProducerRecord): Message => ({ key, value, headers });

/** Sends records once; resolves to those that no broker has confirmed. */
const unconfirmedAfterSend = async (
  producer: Producer,
  records: readonly ProducerRecord[],
): Promise<readonly ProducerRecord[]> => {
  const messages = new Map(records.map((record) => [messageOf(record), record]));
  const topicMessages = byTopic(messages);
  const unconfirmed = unconfirmedOf(topicMessages, await producer.sendBatch({ topicMessages }));
  return [...messages].flatMap(([message, record]) => (unconfirmed.has(message) ? [record] : []));
};

/** As `unconfirmedAfterSend`; all records when the send failed. */
const trySend = async (
  producer: Producer,
  records: readonly ProducerRecord[],
  log: Log,
): Promise<readonly ProducerRecord[]> => {
  try {
    const unsent = await unconfirmedAfterSend(producer, records);
    if (unsent.length > 0) log.warn({ count: unsent.length }, 'a batch was confirmed only in part');
    return unsent;
  } catch (error) {
    log.warn({ error, count: records.length }, 'a batch was not sent; trying again with a new producer');
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

/**
 * One idempotent producer at a time, replaced after a send that failed for good (kafkajs itself retries for a minute) or was confirmed only
 * in part: the next sequence numbers may then be those of messages that the broker already has, which would discard new ones as duplicates.
 */
export const createIdempotentProducer = (kafka: KafkaConnection, log: Log): IdempotentProducer => {
  const disconnected = new AbortController();
  const { signal } = disconnected;
  let producer = kafka.producer();
  let connected = false;

  const connect = () => connectWithRetry(producer, log, signal).then(() => void (connected = true));
  const replace = async (): Promise<void> => {
    connected = false;
    await disconnectInTime(producer);
    producer = kafka.producer();
    await sleep(initialBackoffMs, signal);
  };
  return {
    connect,
    send: async (records) => {
      for (let batch = records(); batch.length > 0;) {
        if (signal.aborted) throw new Error('the producer has been disconnected');
        if (!connected) await connect();
        const unsent = await trySend(producer, batch, log);
        if (unsent.length === 0) return;
        await replace();
        const wanted = new Set(records());
        batch = unsent.filter((record) => wanted.has(record));
      }
    },
    disconnect: async () => {
      disconnected.abort();
      await disconnectInTime(producer);
    },
  };
};
