import { unavailable } from '#libs/contracts/errors.ts';
import { check, eventually, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

let playground: Playground;

beforeEach(async () => {
  playground = await openPlayground(['cafe-checks.v1']);
});
afterEach(() => playground.close());

const checks = (count: number) => Array.from({ length: count }, (_, at) => check(`10.0.0.${at % 200}`));

const say = async (count: number) => {
  const publisher = await playground.publisher();
  const said = checks(count);
  await Promise.all(said.map((each) => publisher.publish('cafe-check.requested', each)));
  return said;
};

test('the events of a fetch are handed over together, and not again once they were taken', async () => {
  const sizes: number[] = [];
  const heard: string[] = [];
  const listen = () =>
    playground.batchConsumer(['cafe-check.requested'], async (batch) => {
      sizes.push(batch.length);
      heard.push(...batch.map(({ data }) => data.checkId));
    });
  const said = await say(300);
  const first = await listen();
  await eventually(() => heard.length === said.length, 'all are heard');
  await first.stop();

  await listen();
  const [last] = await say(1);

  await eventually(() => heard.includes(last?.checkId ?? ''), 'the next consumer hears what is new');
  expect(heard).toHaveLength(said.length + 1);
  expect(Math.max(...sizes)).toBeGreaterThan(1);
});

test('while the store is away a batch is tried again, whole', async () => {
  const sizes: number[] = [];
  const heard = new Set<string>();
  const said = await say(20);

  await playground.batchConsumer(['cafe-check.requested'], async (batch) => {
    if (sizes.push(batch.length) < 5) throw unavailable();
    for (const { data } of batch) heard.add(data.checkId);
  });

  await eventually(() => heard.size === said.length, 'all are heard');
  expect(new Set(sizes.slice(0, 5)).size).toBe(1);
});

test('of a batch that fails for good only the guilty event is put aside', async () => {
  const heard = new Set<string>();
  const said = await say(20);
  const guilty = said[7]?.checkId;

  await playground.batchConsumer(['cafe-check.requested'], async (batch) => {
    if (batch.some(({ data }) => data.checkId === guilty)) throw new Error('this one');
    for (const { data } of batch) heard.add(data.checkId);
  });

  await eventually(() => heard.size === said.length - 1, 'the others are heard');
  expect(heard.has(guilty ?? '')).toBe(false);
});
