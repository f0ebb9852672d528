import { randomBytes, randomUUID } from 'node:crypto';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { ceType } from '#libs/contracts/events.ts';
import { messagesOf } from '#libs/kafka/bundle.ts';
import { encodeEvent } from '#libs/kafka/encode-event.ts';
import type { EncodedEvent } from '#libs/kafka/encode-event.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { createPartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import { begin } from '../../services/game-session/core/session.ts';
import type { Session } from '../../services/game-session/core/session.ts';

/** Sessions that a round writes to each partition. */
const batchSize = 500;

const newSession = (nowMs: number): Session => {
  const pcId = `pc_${randomBytes(16).toString('hex')}`;
  const order = {
    ...{ pcId, presentationId: randomUUID(), tokenHash: randomBytes(32).toString('hex'), cafeId: 'cafe-1' },
    ...{ gameId: 'starfall', providerUserId: randomUUID(), isPcCafe: true, launcherSessionId: randomUUID() },
    ...{ gameSessionId: gameSessionIdFor(randomUUID(), pcId), startedAtMs: nowMs },
  };
  return begin({ order, pending: false, remainingSec: 1 }, specLimits);
};

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
      encodeEvent('game-session.started', { data: { session: newSession(nowMs) } }, origin),
    );
    for (let event = 0; event < events; event += 1) {
      const round = event === 0 ? first : first.map((each) => heartbeatOf(each, event + 1, nowMs + event));
      await producer.send({ topic, messages: [...messagesOf(round, partitionOf).keys()] });
    }
  }
  await producer.disconnect();
};
