import { randomBytes, randomUUID } from 'node:crypto';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { encodeEvent } from '#libs/kafka/encode-event.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { beat, begin } from '../../services/game-session/core/session.ts';
import type { Session } from '../../services/game-session/core/session.ts';

const batchSize = 2_000;

const newSession = (nowMs: number): Session => {
  const pcId = `pc_${randomBytes(16).toString('hex')}`;
  const order = {
    ...{ pcId, presentationId: randomUUID(), tokenHash: randomBytes(32).toString('hex'), cafeId: 'cafe-1' },
    ...{ gameId: 'starfall', providerUserId: randomUUID(), isPcCafe: true, launcherSessionId: randomUUID() },
    ...{ gameSessionId: gameSessionIdFor(randomUUID(), pcId), startedAtMs: nowMs },
  };
  return begin({ order, pending: false, remainingSec: 1 }, specLimits);
};

/** Writes so many sessions, each with so many events, to the topic of game sessions: all that play, in rounds of heartbeats. */
export const writeSessions = async (
  kafka: KafkaConnection,
  { sessions, events }: { sessions: number; events: number },
): Promise<void> => {
  const producer = kafka.producer();
  await producer.connect();
  const topic = kafka.onCluster('game-sessions.v1');
  for (let at = 0; at < sessions; at += batchSize) {
    const nowMs = Date.now();
    let batch = Array.from({ length: Math.min(batchSize, sessions - at) }, () => newSession(nowMs));
    for (let event = 0; event < events; event += 1) {
      const name = event === 0 ? 'game-session.started' : 'game-session.heartbeat';
      const origin = { source: '/gsb/game-session', nowMs };
      const messages = batch.map((session) => encodeEvent(name, { session }, origin));
      await producer.send({ topic, messages });
      batch = batch.map((session) => beat(session, nowMs + event, specLimits) ?? session);
    }
  }
  await producer.disconnect();
};
