import type { Message } from 'kafkajs';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';

const lastMs = 5_000;
const topics: readonly TopicName[] = [
  ...(['game-sessions.v1', 'game-session-changes.v1', 'heartbeats.v1', 'billing.v1', 'renewals.v1'] as const),
  ...([
    'ott-issuances.v1',
    'ott-presentations.v1',
    'ott-claims.v1',
    'ott-refusals.v1',
    'ott-ends.v1',
  ] as const),
];

const copyOf = ({ message }: FetchedMessage): Message => ({
  key: message.key,
  value: message.value,
  ...(message.headers && { headers: message.headers }),
});

/** Publishes the last seconds of the log once more, each event under its own id, as a producer does whose acknowledgement was lost. Resolves to how many. */
export const repeatEvents = async (kafka: KafkaConnection): Promise<number> => {
  const found = new Map<string, Message[]>();
  await withLogReader({ kafka, topics }, async (log) =>
    log.read(await log.newestRanges(lastMs), (fetched) => {
      for (const each of fetched) {
        const copies = found.get(each.topic) ?? [];
        copies.push(copyOf(each));
        found.set(each.topic, copies);
      }
    }),
  );
  const producer = kafka.producer();
  await producer.connect();
  const topicMessages = [...found].map(([topic, messages]) => ({ topic, messages }));
  await producer.sendBatch({ topicMessages });
  await producer.disconnect();
  return topicMessages.reduce((count, { messages }) => count + messages.length, 0);
};
