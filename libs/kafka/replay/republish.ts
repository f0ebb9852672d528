import { Partitioners } from 'kafkajs';
import type { ICustomPartitioner } from 'kafkajs';
import type { KafkaConnection } from '../connection.ts';

/** A message as it was first published; the topic is named as on the cluster. */
export interface StoredMessage {
  readonly topic: string;
  readonly key: string | Buffer | null;
  /** Where it was, and goes again where that is there; else where its key belongs. */
  readonly partition?: number;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** kafkajs drops a message without a word whose partition is not there. */
const whereItWas: ICustomPartitioner = () => {
  const whereKeysBelong = Partitioners.DefaultPartitioner();
  return ({ message: { partition, ...message }, ...of }) =>
    partition !== undefined && partition < of.partitionMetadata.length
      ? partition
      : whereKeysBelong({ ...of, message });
};

/** Publishes stored messages again, in their order; resolves when the log has all of them, and rejects when a topic has refused one for good, or for a minute. Harmless, because every consumer is idempotent. */
export const republish = async (
  kafka: KafkaConnection,
  messages: readonly StoredMessage[],
): Promise<void> => {
  const producer = kafka.producer(whereItWas);
  await producer.connect();
  try {
    for (const { topic, headers, ...message } of messages) {
      await producer.send({ topic, messages: [{ ...message, headers: { ...headers } }] });
    }
  } finally {
    await producer.disconnect();
  }
};
