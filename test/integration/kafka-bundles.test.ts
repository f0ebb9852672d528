import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { EventData } from '#libs/contracts/events.ts';
import { bundleType } from '#libs/kafka/bundle.ts';
import type { Handlers } from '#libs/kafka/consumer/event-handler.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import { kafkaAccess, kafkaSettings } from '#libs/runtime/kafka-settings.ts';
import { eventually } from '../support/eventually.ts';
import { syntheticSession } from '../support/synthetic-session.ts';
import { messagesOn, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const count = 2_000;
const renewal = (gameSessionId: string, remainingSec: number) => ({
  gameSessionId,
  remainingSec,
  recharges: false,
});
const newIds = (length: number) => Array.from({ length }, () => `gs_${randomUUID()}`);

const withoutBundles = { KAFKA_BROKERS: 'unused:1', KAFKA_BUNDLES: 'false' };

let playground: Playground;
const topics = ['billing.v1', 'renewals.v1', 'game-sessions.v1', 'otts.v1', 'ott-refusals.v1'] as const;
beforeAll(async () => (playground = await openPlayground(topics)));
afterAll(() => playground.close());

/** A publisher that writes as versions before bundles do. */
const publisherWithoutBundles = () => {
  const { kafka: common, metrics, log } = playground;
  const kafka = { ...common, ...kafkaAccess(z.object(kafkaSettings).parse(withoutBundles)) };
  const publisher = createPublisher({ kafka, source: 'test', metrics, log, clock: Date.now });
  return playground.adopt(publisher, () => undefined);
};

type Renewal = ReturnType<typeof renewal>;
const alone = (handle: (data: Renewal) => Promise<void>): Handlers => ({ 'billing.renewed': handle });
const together = (handle: (data: Renewal) => Promise<void>): Handlers => ({
  'billing.renewed': {
    together: async (events) => {
      await Promise.all(events.map(({ data }) => handle(data)));
    },
  },
});

test.each([
  ['each alone', alone],
  ['those of a message together', together],
])(
  'renewals of one moment share messages, and are handled %s: once, in the order of their session (D-39)',
  async (how, handlers) => {
    const { publish } = await playground.publisher();
    const seen = new Map<string, number[]>();
    const note = async ({ gameSessionId, remainingSec }: Renewal) => {
      await setImmediate();
      seen.set(gameSessionId, [...(seen.get(gameSessionId) ?? []), remainingSec]);
    };
    await playground.consumer(`bundles ${how}`, handlers(note));
    const before = await messagesOn(playground, 'renewals.v1');
    const ids = newIds(count);
    await publish('billing.renewed', renewal(ids[0]!, 0));

    const second = ids.map((id) => publish('billing.renewed', renewal(id, 1)));
    const third = ids.map((id) => publish('billing.renewed', renewal(id, 2)));
    await Promise.all([...second, ...third]);

    await eventually(
      async () => ids.flatMap((id) => seen.get(id) ?? []).length,
      (handled) => handled === 2 * count + 1,
      20_000,
    );
    expect(seen.get(ids[0]!)).toEqual([0, 1, 2]);
    expect(ids.slice(1).every((id) => String(seen.get(id)) === '1,2')).toBe(true);
    expect((await messagesOn(playground, 'renewals.v1')) - before).toBeLessThan(count / 20);
  },
  60_000,
);

test('with KAFKA_BUNDLES=false each event is a message of its own, where versions before bundles, renewals.v1 and heartbeats.v1 read it (D-39, D-54, D-60)', async () => {
  const { publish } = await publisherWithoutBundles();
  await publish('billing.renewed', renewal(newIds(1)[0]!, 0));
  const session = () => syntheticSession('cafe-1', Date.now());
  await publish('game-session.heartbeat', { session: session() });
  const before = {
    renewals: await messagesOn(playground, 'billing.v1'),
    heartbeats: await messagesOn(playground, 'game-sessions.v1'),
  };

  await Promise.all(newIds(100).map((id) => publish('billing.renewed', renewal(id, 1))));
  await Promise.all(newIds(100).map(() => publish('game-session.heartbeat', { session: session() })));

  expect(await messagesOn(playground, 'billing.v1')).toBe(before.renewals + 100);
  expect(await messagesOn(playground, 'game-sessions.v1')).toBe(before.heartbeats + 100);
}, 60_000);

test('who reads a topic of its own reads the former one too, where versions before write (D-54)', async () => {
  const before = await publisherWithoutBundles();
  const now = await playground.publisher();
  const heard: string[] = [];
  const note = async ({ presentationId }: EventData<'ott.refused'>) => void heard.push(presentationId);
  await playground.consumer('both topics', { 'ott.refused': note });
  const refusal = () => ({
    ...{ presentationId: randomUUID(), tokenHash: 'a'.repeat(64) },
    reason: 'OTT_EXPIRED' as const,
  });
  const [earlier, later] = [refusal(), refusal()];

  await before.publish('ott.refused', earlier);
  await now.publish('ott.refused', later);

  await eventually(
    async () => heard,
    (ids) => ids.length === 2,
  );
  expect(heard.toSorted()).toEqual([earlier.presentationId, later.presentationId].toSorted());
  expect(await messagesOn(playground, 'otts.v1')).toBe(1);
  expect(await messagesOn(playground, 'ott-refusals.v1')).toBe(1);
}, 60_000);

test.each([
  ['alone', alone],
  ['together', together],
])(
  'events of a bundle that cannot be read or handled become dead letters; the others are handled %s',
  async (how, handlers) => {
    const ids = newIds(4);
    const lineOf = (id: string, data: string) =>
      `{"key":"${id}","headers":{"ce_id":"${randomUUID()}"},"data":${data}}`;
    const data = (id: string) => JSON.stringify({ game_session_id: id, remaining_sec: 1 });
    const lines = [
      lineOf(ids[0]!, data(ids[0]!)),
      lineOf(ids[1]!, '{"nonsense":1}'),
      lineOf(ids[2]!, data(ids[2]!)),
      lineOf(ids[3]!, data(ids[3]!)),
    ];
    const handled = new Set<string>();
    const letters: EventData<'dead-letter.recorded'>[] = [];
    await playground.consumer(
      `bundle-with-poison ${how}`,
      handlers(async ({ gameSessionId }) => {
        if (gameSessionId === ids[3]) throw new Error('nobody can handle it');
        if (ids.includes(gameSessionId)) handled.add(gameSessionId);
      }),
      {
        publish: async (_name, data) => {
          const letter = data as EventData<'dead-letter.recorded'>;
          if (ids.includes(letter.key ?? '')) letters.push(letter);
        },
      },
    );
    const producer = playground.kafka.producer();
    await producer.connect();
    const headers = { ce_type: 'dev.gsb.billing.renewed', 'content-type': bundleType };
    const value = `{"events":[\n${lines.join(',\n')}\n]}`;

    await producer.send({
      topic: playground.kafka.onCluster('renewals.v1'),
      messages: [{ value, headers, partition: 0 }],
    });

    await eventually(
      async () => handled.size + letters.length,
      (seen) => seen === 4,
      20_000,
    );
    await producer.disconnect();
    expect(handled).toEqual(new Set([ids[0], ids[2]]));
    expect(new Map(letters.map(({ key, valueBase64: value }) => [key, value]))).toEqual(
      new Map([
        [ids[1], Buffer.from('{"nonsense":1}').toString('base64')],
        [ids[3], Buffer.from(data(ids[3]!)).toString('base64')],
      ]),
    );
  },
  60_000,
);
