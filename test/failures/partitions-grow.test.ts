import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { topics } from '#libs/contracts/topics.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { withPartitions } from '../../deploy/image/jobs/with-partitions.ts';
import { runCommand } from '../support/command.ts';
import { until } from '../support/eventually.ts';
import { inEveryBookOnce, visitDuring } from '../support/keep-visiting.ts';
import { kafkaOf } from '../support/offsets.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { beat, seatPlayers } from '../support/seat-players.ts';

const partitions = 12;
/** Which keys there are is chance. */
const mostOfThem = 9;
const atOnce = 4;
const players = 24;
const testMs = 180_000;
const topic = 'heartbeats.v1';
const own = useOwnStack({ RATE_LIMITS: 'off' });

/** Reads all sessions' events as a service does, and keeps the versions of each session, of each topic in the order in which they came. */
const readVersions = async () => {
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  const versions = new Map<string, number[]>();
  const note = async (
    { session }: { session: { gameSessionId: string; version: number } },
    { topic: of }: EventMeta,
  ) => {
    const name = `${session.gameSessionId} ${of}`;
    versions.set(name, [...(versions.get(name) ?? []), session.version]);
  };
  const names: EventName[] = ['game-session.started', 'game-session.heartbeat', 'game-session.ending'];
  const consumer = createConsumer({
    ...{ kafka: kafkaOf(own.stack.facts()), group: 'who-reads-along', log, clock: Date.now },
    ...{ metrics: createMetrics('test'), deadLetters: { publish: async () => undefined } },
    handlers: Object.fromEntries(names.map((name) => [name, note])),
  });
  await consumer.start(() => undefined);
  return { versions, stop: () => consumer.stop() };
};

/** How many partitions of the heartbeats' topic have messages. */
const used = async (): Promise<number> => {
  const admin = kafkaOf(own.stack.facts()).admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.filter(({ high }) => Number(high) > 0).length;
  } finally {
    await admin.disconnect();
  }
};

const grow = () =>
  ensureTopics({ brokers: own.stack.kafka.brokers, topics: withPartitions(topics, partitions) });

test(
  'topics grow from 3 to 12 partitions while players start, play and stop: no call fails, what is heard last of a session is its newest state, and every visit is in every book once',
  async () => {
    const stack = own.stack.facts();
    const reader = await readVersions();
    const seated = await seatPlayers(stack, players);
    const wrong: string[] = [];
    const beatAll = async () => {
      for (const answer of await Promise.all(seated.map(beat)))
        if (!answer.ok || answer.data.result !== 'OK') wrong.push(JSON.stringify(answer));
    };

    const visits = await visitDuring(stack, atOnce, async ({ played }) => {
      const { grown } = await grow();
      expect(grown).toContain(topic);
      await until(
        async () => {
          await beatAll();
          return (await used()) >= mostOfThem;
        },
        'new partitions are written to',
        60_000,
      );
      const sofar = played.length;
      await until(() => played.length >= sofar + 2 * atOnce, 'whole visits', 30_000);
    });
    const ended = await Promise.all(
      seated.map(async ({ server, id, user }) => ({ id, user, ...(await server.end(id)) })),
    );

    expect([...visits.failed, ...wrong]).toEqual([]);
    const sat = ended.map(({ id, user, ...end }) => ({
      id,
      user,
      seconds: end.ok ? end.data.playDurationSec : -1,
    }));
    const all = [...visits.played, ...sat];
    await Promise.all(all.map((each) => inEveryBookOnce(stack, each)));
    await until(
      () => all.every(({ id }) => (reader.versions.get(`${id} game-sessions.v1`)?.length ?? 0) >= 2),
      'all were read along',
    );
    await reader.stop();
    // Around the moment of growth two events of a session may be heard in the other order (UPGRADING.md); the last one is the newest.
    for (const versions of reader.versions.values()) expect(versions.at(-1)).toBe(Math.max(...versions));
    const brokers = { KAFKA_BROKERS: stack.kafka.brokers.join(',') };
    const { out } = await runCommand('deploy/operations/dead-letters/main.ts', ['list'], brokers);
    expect(out).toContain('0 dead letters');
  },
  testMs,
);
