import type { EventMeta } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { topics } from '#libs/contracts/topics.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import { withPartitions } from '#libs/kafka/admin/with-partitions.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { runCommand } from '../support/command.ts';
import { until } from '../support/eventually.ts';
import { asker, inEveryBookOnce, visitDuring } from '../support/keep-visiting.ts';
import type { FailedCall } from '../support/keep-visiting.ts';
import { kafkaOf } from '../support/offsets.ts';
import { useOwnStack } from '../support/own-stack.ts';
import { beat, seatPlayers } from '../support/seat-players.ts';
import { notBySilence, silencesDuring } from '../support/silences.ts';
import { gameIdOf } from '../support/suite-stack.ts';

const [few, partitions] = [3, 12];
/** So many of the partitions that came are in use: which keys there are is chance. */
const mostOfThem = 6;
const atOnce = 4;
const players = 24;
const recoveryMs = 60_000;
const testMs = 180_000;
const own = useOwnStack({ RATE_LIMITS: 'off' });
let reader: Awaited<ReturnType<typeof readAlong>> | undefined;

afterEach(() => reader?.stop());

/** Events that have no order to keep: questions about an address, presentations, each a call of its own, and dead letters (D-63). */
const unordered: ReadonlySet<EventName> = new Set([
  ...(['cafe-check.requested', 'cafe-check.answered', 'ott.presented', 'ott.refused'] as const),
  'dead-letter.recorded',
]);

/** A key of a topic: where its events were, and which version of its record each told, as they were first heard. */
interface Heard {
  readonly partitions: Set<number>;
  readonly versions: Map<EventMeta['id'], number>;
}

const versionIn = (data: Partial<Record<'session' | 'ott', { readonly version: number }>>) =>
  (data.session ?? data.ott)?.version;

/** Reads along as a service does. */
const readAlong = async () => {
  const log = createLog({ service: 'test', instance: 'test', level: 'error' }, () => undefined);
  const heard = new Map<string, Heard>();
  const used = new Map<string, Set<number>>();
  const note =
    (name: EventName) =>
    async (data: never, { id, topic, partition }: EventMeta) => {
      used.set(topic, (used.get(topic) ?? new Set()).add(partition));
      if (unordered.has(name)) return;
      const key = `${topic} ${(events[name].key as (data: never) => string)(data)}`;
      const known = heard.get(key) ?? { partitions: new Set(), versions: new Map() };
      heard.set(key, known);
      known.partitions.add(partition);
      if (!known.versions.has(id)) known.versions.set(id, versionIn(data) ?? 0);
    };
  const consumer = createConsumer({
    ...{ kafka: kafkaOf(own.stack.facts()), group: 'who-reads-along', log, clock: Date.now },
    ...{ metrics: createMetrics('test'), deadLetters: { publish: async () => undefined } },
    handlers: Object.fromEntries((Object.keys(events) as EventName[]).map((name) => [name, note(name)])),
  });
  await consumer.start(() => undefined);
  /** How many partitions of a topic had events. */
  return { heard, used: (topic: string) => used.get(topic)?.size ?? 0, stop: () => consumer.stop() };
};

const grow = () =>
  ensureTopics({ brokers: own.stack.kafka.brokers, topics: withPartitions(topics, partitions) });

/** The topics on which something has an order to keep, and what happens in a visit is. */
const inOrder = [
  ...['ott-requests.v1', 'ott-issuances.v1', 'ott-claims.v1', 'ott-ends.v1', 'launcher-sessions.v1'],
  ...['billing.v1', 'game-sessions.v1', 'game-session-changes.v1'],
];

test(
  'topics grow from 3 to 12 partitions while players start, play and stop: no call fails, no launcher session, token or game session changes its partition, what is heard of it is in order, and every visit is in every book once',
  async () => {
    const stack = own.stack.facts();
    const { heard, used } = (reader = await readAlong());
    const seated = await seatPlayers(stack, players);
    const [failed, wrong]: [FailedCall[], unknown[]] = [[], []];
    const ask = asker(failed);
    const beatAll = async () => {
      for (const answer of await Promise.all(seated.map((player) => ask('heartbeat', () => beat(player)))))
        if (answer && answer.data.result !== 'OK') wrong.push(answer);
    };

    const growing = async () => {
      const tokens = await Promise.all(
        seated.map(({ pc }) => ask('token', () => pc.requestOtt(gameIdOf(stack)))),
      );
      const { grown } = await grow();
      expect(grown).toContain('heartbeats.v1');
      const areUsed = (names: readonly string[]) => async (): Promise<boolean> => {
        await beatAll();
        return names.every((topic) => used(topic) >= few + mostOfThem);
      };
      await until(areUsed(['ott-presentations.v1']), 'producers know of new partitions', recoveryMs);
      // Sessions that go on after growth: those of tokens that were issued before it take the seats of the first ones.
      for (const [at, token] of tokens.entries()) {
        const { server, user } = seated[at]!;
        const begun = token && (await ask('verify', () => server.verify(token.data.ott, user)));
        if (begun?.data.isValid) seated[at] = { ...seated[at]!, id: begun.data.gameSessionId };
        else if (begun) wrong.push(begun);
      }
      await until(areUsed([...inOrder, 'heartbeats.v1']), 'what begins is in new partitions', recoveryMs);
    };
    const endAll = async () => {
      const ends = seated.map(async ({ pc, server, id }) => {
        const end = await ask('end', () => server.end(id));
        await ask('launcher end', () => pc.end());
        return end ? [id] : [];
      });
      return (await Promise.all(ends)).flat();
    };
    const { done, silences } = await silencesDuring(stack, async () => {
      const visits = await visitDuring(stack, atOnce, growing);
      return { visits, ended: await endAll() };
    });
    const { visits, ended } = done;

    expect([...notBySilence([...visits.failed, ...failed], silences), ...wrong]).toEqual([]);
    for (const visit of visits.played) await inEveryBookOnce(stack, visit);
    const endedOf = (id: string) => heard.get(`game-session-changes.v1 ${id}`)?.versions.size ?? 0;
    const all = [...visits.played.map(({ id }) => id), ...ended];
    await until(() => all.every((id) => endedOf(id) >= 2), 'all were read along');
    for (const [key, { partitions: places, versions }] of heard) {
      const told = [...versions.values()];
      expect([key, ...places]).toHaveLength(2);
      expect([key, ...told]).toEqual([key, ...told.toSorted((a, b) => a - b)]);
    }
    const brokers = { KAFKA_BROKERS: stack.kafka.brokers.join(',') };
    const { out } = await runCommand('deploy/operations/dead-letters/main.ts', ['list'], brokers);
    expect(out).toContain('0 dead letters');
  },
  testMs,
);
