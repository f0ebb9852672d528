import type { KafkaConnection } from '../connection.ts';

/** A message as it was first published; the topic is named as on the cluster. */
export interface StoredMessage {
  readonly topic: string;
  readonly key: string | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Publishes stored messages again, in their order; resolves when the log has all of them. Harmless, because every consumer is idempotent. */
export const republish = async (
  kafka: KafkaConnection,
  messages: readonly StoredMessage[],
): Promise<void> => {
  const producer = kafka.producer();
  await producer.connect();
  try {
    for (const { topic, key, value, headers } of messages)
      await producer.send({ topic, messages: [{ key, value, headers: { ...headers } }] });
  } finally {
    await producer.disconnect();
  }
};
