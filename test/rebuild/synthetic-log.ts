import { ceType } from '#libs/contracts/events.ts';
import { messagesOf } from '#libs/kafka/bundle.ts';
import { encodeEvent } from '#libs/kafka/encode-event.ts';
import type { EncodedEvent } from '#libs/kafka/encode-event.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { createPartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import { syntheticSession } from '../support/synthetic-session.ts';

/** Sessions that a round writes to each partition. */
const batchSize = 500;

/** A heartbeat of a session, from the text of its first event: what `beat` changes is set in the text, because millions are written. */
const heartbeatOf = (
  { key, value, headers }: EncodedEvent,
  version: number,
  nowMs: number,
): EncodedEvent => ({
  key,
  value: value
    .replace(/"version":\d+/, `"version":${version}`)
    .replace(/"last_seen_at_ms":\d+/, `"last_seen_at_ms":${nowMs}`),
  headers: { ...headers, ce_type: ceType('game-session.heartbeat'), ce_id: `${headers['ce_id']}.${version}` },
});

/**
 * Writes so many sessions, each with so many events, to the topic of game sessions: all that play, in rounds of heartbeats, which come in
 * bundles as the product's do.
 */
export const writeSessions = async (
  kafka: KafkaConnection,
  { sessions, events, partitions }: { sessions: number; events: number; partitions: number },
): Promise<void> => {
  const leaders = createPartitionLeaders();
  const producer = kafka.producer(leaders.partitioner);
  await producer.connect();
  const topic = kafka.onCluster('game-sessions.v1');
  const partitionOf = ({ key }: EncodedEvent) => leaders.partitionOf(topic, key);
  for (let at = 0; at < sessions; at += batchSize * partitions) {
    const nowMs = Date.now();
    const origin = { source: '/gsb/game-session', nowMs };
    const first = Array.from({ length: Math.min(batchSize * partitions, sessions - at) }, () =>
      encodeEvent('game-session.started', { data: { session: syntheticSession('cafe-1', nowMs) } }, origin),
    );
    for (let event = 0; event < events; event += 1) {
      const round = event === 0 ? first : first.map((each) => heartbeatOf(each, event + 1, nowMs + event));
      await producer.send({ topic, messages: [...messagesOf(round, partitionOf).keys()] });
    }
  }
  await producer.disconnect();
};
