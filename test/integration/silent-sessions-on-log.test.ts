import { ConfigResourceTypes } from 'kafkajs';
import { events } from '#libs/contracts/events.ts';
import { encodeEvent } from '#libs/kafka/encode-event.ts';
import { specLimits } from '#libs/kernel/limits.ts';
import { sessionsFromLog } from '../../services/game-session/adapters/sessions-from-log.ts';
import { syntheticSession } from '../support/synthetic-session.ts';
import { openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const ofSessions = ['game-sessions.v1', 'game-session-changes.v1', 'heartbeats.v1'] as const;

/** Writes a session's heartbeat as if it had come that long ago. */
const beatAgo = async ({ kafka }: Playground, agoSec: number) => {
  const topic = kafka.onCluster(events['game-session.heartbeat'].topic);
  const admin = kafka.admin();
  await admin.connect();
  const configEntries = [{ name: 'message.timestamp.type', value: 'CreateTime' }];
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }];
  await admin.alterConfigs({ validateOnly: false, resources });
  await admin.disconnect();
  const nowMs = Date.now() - agoSec * 1000;
  const session = syntheticSession('cafe-1', nowMs);
  const { key, value, headers } = encodeEvent(
    'game-session.heartbeat',
    { data: { session } },
    { source: '/test', nowMs },
  );
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ key, value, headers, timestamp: String(nowMs) }] });
  await producer.disconnect();
  return session.gameSessionId;
};

test('a session that the mass-expiry guard has kept through 25 minutes of silence is on the log that a rebuild reads, so that it ends (D-24, D-25)', async () => {
  const playground = await openPlayground([...ofSessions, 'launcher-sessions.v1']);
  await beatAgo(playground, 2_400);
  const silent = await beatAgo(playground, 1_500);
  const newest = await beatAgo(playground, 0);
  const found: string[] = [];

  await sessionsFromLog(playground.kafka, specLimits).open(new AbortController().signal, async (log) => {
    for (const part of log.sessionParts)
      await log.sessions(
        part,
        async (sessions) => void found.push(...sessions.map((each) => each.gameSessionId)),
      );
  });

  expect(found.toSorted()).toEqual([silent, newest].toSorted());
  await playground.close();
});
