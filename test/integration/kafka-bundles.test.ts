import { randomUUID } from 'node:crypto';
import { bundleType } from '#libs/kafka/bundle.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { eventually } from '../support/eventually.ts';
import { openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const count = 2_000;
const renewal = (gameSessionId: string, remainingSec: number) => ({
  gameSessionId,
  remainingSec,
  recharges: false,
});
const newIds = (length: number) => Array.from({ length }, () => `gs_${randomUUID()}`);

let playground: Playground;
beforeAll(async () => (playground = await openPlayground(['billing.v1'])));
afterAll(() => playground.close());

test('renewals of one moment share messages, and each is handled once, in the order of its session (D-39)', async () => {
  const { publish } = await playground.publisher();
  const seen = new Map<string, number[]>();
  await playground.consumer('bundles', {
    'billing.renewed': async ({ gameSessionId, remainingSec }) =>
      void seen.set(gameSessionId, [...(seen.get(gameSessionId) ?? []), remainingSec]),
  });
  const ids = newIds(count);
  await publish('billing.renewed', renewal(ids[0]!, 0));

  const second = ids.map((id) => publish('billing.renewed', renewal(id, 1)));
  const third = ids.map((id) => publish('billing.renewed', renewal(id, 2)));
  await Promise.all([...second, ...third]);

  await eventually(
    async () => [...seen.values()].flat().length,
    (handled) => handled === 2 * count + 1,
    20_000,
  );
  expect(seen.get(ids[0]!)).toEqual([0, 1, 2]);
  expect(ids.slice(1).every((id) => String(seen.get(id)) === '1,2')).toBe(true);
  const offsets = await withLogReader({ kafka: playground.kafka, topics: ['billing.v1'] }, (log) =>
    log.rangesSince(0),
  );
  const messages = offsets.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(messages).toBeLessThan(count / 20);
}, 60_000);

test('one event of a bundle that cannot be handled becomes a dead letter; the others are handled', async () => {
  const ids = newIds(3);
  const lineOf = (id: string, data: string) =>
    `{"key":"${id}","headers":{"ce_id":"${randomUUID()}"},"data":${data}}`;
  const data = (id: string) => JSON.stringify({ game_session_id: id, remaining_sec: 1 });
  const lines = [
    lineOf(ids[0]!, data(ids[0]!)),
    lineOf(ids[1]!, '{"nonsense":1}'),
    lineOf(ids[2]!, data(ids[2]!)),
  ];
  const handled: string[] = [];
  const letters: unknown[] = [];
  await playground.consumer(
    'bundle-with-poison',
    {
      'billing.renewed': async ({ gameSessionId }) => {
        if (ids.includes(gameSessionId)) handled.push(gameSessionId);
      },
    },
    { publish: async (_name, letter) => void letters.push(letter) },
  );
  const producer = playground.kafka.producer();
  await producer.connect();
  const headers = { ce_type: 'dev.gsb.billing.renewed', 'content-type': bundleType };
  const value = `{"events":[\n${lines.join(',\n')}\n]}`;

  await producer.send({
    topic: playground.kafka.onCluster('billing.v1'),
    messages: [{ value, headers, partition: 0 }],
  });

  await eventually(
    async () => handled.length + letters.length,
    (seen) => seen === 3,
    20_000,
  );
  await producer.disconnect();
  expect(handled.toSorted()).toEqual([ids[0], ids[2]].toSorted());
  expect(letters).toMatchObject([
    { key: ids[1], valueBase64: Buffer.from('{"nonsense":1}').toString('base64') },
  ]);
}, 60_000);
