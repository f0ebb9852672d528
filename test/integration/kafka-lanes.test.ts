import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import type { Handlers } from '#libs/kafka/consumer/event-handler.ts';
import { eventually } from '../support/eventually.ts';
import { syntheticSession } from '../support/synthetic-session.ts';
import { openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const stops = 6_000;
const mostInHand = 4_000;
const [atOnce, fetches] = [4, 20];

let playground: Playground;
beforeAll(async () => (playground = await openPlayground(['game-sessions.v1', 'heartbeats.v1'])));
afterAll(() => playground.close());

const told = async (name: string): Promise<number> => {
  const text = await playground.metrics.text();
  const values = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
};

test('stops wait on the log for their turn, and heartbeats do not wait for them: all are handled once (D-60)', async () => {
  const { kafka, log, metrics } = playground;
  const { publish } = await playground.publisher();
  const { promise: partnerIsBack, resolve: comeBack } = Promise.withResolvers();
  const seen = { stopping: 0, most: 0, stopped: [] as string[], beats: new Set<string>() };
  const handlers: Handlers = {
    'game-session.ending': async ({ session: { gameSessionId } }) => {
      seen.most = Math.max(seen.most, (seen.stopping += 1));
      await partnerIsBack;
      seen.stopping -= 1;
      seen.stopped.push(gameSessionId);
    },
    'game-session.heartbeat': async ({ session: { gameSessionId } }) => void seen.beats.add(gameSessionId),
  };
  const limits = { atOnce: { 'game-sessions.v1': atOnce, 'heartbeats.v1': Infinity } };
  const common = { kafka, metrics, log, clock: Date.now, deadLetters: { publish: async () => undefined } };
  const consumer = createConsumer({ ...common, ...limits, group: 'stops', handlers });
  await playground.adopt(consumer, () => undefined);
  const ended = Array.from({ length: stops }, () => syntheticSession('cafe-1', Date.now()));
  await Promise.all(ended.map((session) => publish('game-session.ending', { session })));
  await eventually(
    () => told('gsb_kafka_in_hand_messages'),
    (count) => count > 2_000,
    20_000,
  );

  for (let fetch = 0; fetch < fetches; fetch += 1) {
    const session = syntheticSession('cafe-1', Date.now());
    await publish('game-session.heartbeat', { session });
    await eventually(
      async () => seen.beats.has(session.gameSessionId),
      (has) => has,
      5_000,
    );
  }

  expect(seen).toMatchObject({ most: atOnce, stopped: [] });
  expect(await told('gsb_kafka_in_hand_messages')).toBeLessThan(mostInHand);
  expect(await told('gsb_kafka_event_age_seconds_count')).toBe(fetches);
  comeBack(undefined);
  await eventually(
    async () => seen.stopped.length,
    (count) => count >= stops,
    30_000,
  );
  expect(new Set(seen.stopped).size).toBe(stops);
  expect(seen.stopped).toHaveLength(stops);
}, 90_000);
