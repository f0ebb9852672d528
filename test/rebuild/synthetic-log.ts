import { ceType, events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { messagesOf } from '#libs/kafka/bundle.ts';
import { encodeEvent } from '#libs/kafka/encode-event.ts';
import type { EncodedEvent } from '#libs/kafka/encode-event.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { createPartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import { syntheticSession } from '../support/synthetic-session.ts';

/** Sessions that a round writes to each partition. */
const batchSize = 500;

/** A heartbeat of a session, from the text of its first event: what `beat` changes is set in the text, because millions are written. */
const heartbeatOf = (event: EncodedEvent, version: number, nowMs: number): EncodedEvent => ({
  ...event,
  value: event.value
    .replace(/"version":\d+/, `"version":${version}`)
    .replace(/"last_seen_at_ms":\d+/, `"last_seen_at_ms":${nowMs}`),
  headers: {
    ...event.headers,
    ce_type: ceType('game-session.heartbeat'),
    ce_id: `${event.headers['ce_id']}.${version}`,
  },
});

/**
 * Writes so many sessions that play, each with so many events: its start to the topic of game sessions, and rounds of heartbeats to theirs, in
 * bundles as the product's are.
 */
export const writeSessions = async (
  kafka: KafkaConnection,
  { sessions, events: eventsEach, partitions }: { sessions: number; events: number; partitions: number },
): Promise<void> => {
  const leaders = createPartitionLeaders();
  const producer = kafka.producer(leaders.partitioner);
  await producer.connect();
  const write = async (name: EventName, all: readonly EncodedEvent[]): Promise<void> => {
    const topic = kafka.onCluster(events[name].topic);
    const partitionOf = (event: EncodedEvent) => leaders.partitionOf(topic, event);
    await producer.send({ topic, messages: [...messagesOf(all, partitionOf).keys()] });
  };
  for (let at = 0; at < sessions; at += batchSize * partitions) {
    const nowMs = Date.now();
    const origin = { source: '/gsb/game-session', nowMs };
    const first = Array.from({ length: Math.min(batchSize * partitions, sessions - at) }, () =>
      encodeEvent('game-session.started', { data: { session: syntheticSession('cafe-1', nowMs) } }, origin),
    );
    await write('game-session.started', first);
    for (let version = 2; version <= eventsEach; version += 1)
      await write(
        'game-session.heartbeat',
        first.map((each) => heartbeatOf(each, version, nowMs + version)),
      );
  }
  await producer.disconnect();
};
