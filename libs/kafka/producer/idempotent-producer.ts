import type { Producer, TopicMessages } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import { exponentialBackoffMs, sleep, withDeadline } from '#libs/runtime/wait.ts';
import type { KafkaConnection } from '../connection.ts';
import type { ProducerRecord } from './record-accumulator.ts';

const firstPauseMs = 100;
const longestPauseMs = 1_000;
const disconnectDeadlineMs = 2_000;

/** A producer that outlives its failures. */
export interface IdempotentProducer {
  connect(): Promise<void>;
  /** Sends until the log has all, asking `letters` again before each try; none left ends it too. Rejects after `disconnect` only. */
  send(letters: () => readonly ProducerRecord[]): Promise<void>;
  disconnect(): Promise<void>;
}

const byTopic = (letters: readonly ProducerRecord[]): TopicMessages[] =>
  [...Map.groupBy(letters, ({ topic }) => topic)].map(([topic, messages]) => ({
    topic,
    messages: messages.map(({ key, value, headers }) => ({ key, value, headers })),
  }));

const end = (producer: Producer): Promise<void> =>
  withDeadline(
    producer.disconnect(),
    disconnectDeadlineMs,
    () => new Error('the producer did not disconnect in time'),
  ).catch(() => undefined);

/** Tries until the producer is connected, or the signal aborts. */
const connectPatiently = async (producer: Producer, log: Log, signal: AbortSignal): Promise<void> => {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await producer.connect();
      return;
    } catch (error) {
      log.warn({ error, attempt }, 'the producer could not connect; trying again');
    }
    await sleep(exponentialBackoffMs(attempt, firstPauseMs, longestPauseMs), signal);
  }
};

/**
 * One idempotent producer at a time. After a send that failed for good (kafkajs tries for a minute by itself) its sequence numbers may
 * be those of messages that the broker already has, and a later message would be taken for their repetition and lost; so it is replaced.
 */
export const createIdempotentProducer = ({
  kafka,
  log,
}: {
  kafka: KafkaConnection;
  log: Log;
}): IdempotentProducer => {
  const ended = new AbortController();
  let producer = kafka.producer();
  let connected = false;

  const connect = async (): Promise<void> => {
    await connectPatiently(producer, log, ended.signal);
    connected = true;
  };
  const replace = async (): Promise<void> => {
    connected = false;
    await end(producer);
    producer = kafka.producer();
  };
  const send = async (letters: () => readonly ProducerRecord[]): Promise<void> => {
    while (!ended.signal.aborted) {
      if (!connected) await connect();
      const wanted = letters();
      if (wanted.length === 0) return;
      try {
        await producer.sendBatch({ topicMessages: byTopic(wanted) });
        return;
      } catch (error) {
        log.warn({ error, count: wanted.length }, 'a batch was not sent; trying again with a new producer');
      }
      await replace();
      await sleep(firstPauseMs, ended.signal);
    }
    throw new Error('the producer has been disconnected');
  };
  const disconnect = async (): Promise<void> => {
    ended.abort();
    await end(producer);
  };
  return { connect, send, disconnect };
};
