import { unavailable } from '#libs/contracts/errors.ts';
import { eventually, until } from '../support/eventually.ts';
import { samplesOf } from '../support/read-metrics.ts';
import { check, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const aFewMeasurementsMs = 12_000;
let playground: Playground;

beforeEach(async () => {
  playground = await openPlayground(['cafe-checks.v1']);
});
afterEach(() => playground.close());

const checks = (count: number) => Array.from({ length: count }, (_, at) => check(`10.0.0.${at % 200}`));

const publishChecks = async (count: number) => {
  const publisher = await playground.publisher();
  const published = checks(count);
  await Promise.all(published.map((each) => publisher.publish('cafe-check.requested', each)));
  return published;
};

test('the events of a fetch are handled together, and are not redelivered once handled', async () => {
  const sizes: number[] = [];
  const received: string[] = [];
  const listen = () =>
    playground.batchConsumer(['cafe-check.requested'], async (batch) => {
      sizes.push(batch.length);
      received.push(...batch.map(({ data }) => data.checkId));
    });
  const published = await publishChecks(300);
  const first = await listen();
  await until(() => received.length === published.length, 'all are received');
  await first.stop();

  await listen();
  const [last] = await publishChecks(1);

  await until(() => received.includes(last?.checkId ?? ''), 'the next consumer receives what is new');
  expect(received).toHaveLength(published.length + 1);
  expect(Math.max(...sizes)).toBeGreaterThan(1);
});

test('while the store is away the whole batch is retried', async () => {
  const sizes: number[] = [];
  const received = new Set<string>();
  const published = await publishChecks(20);

  await playground.batchConsumer(['cafe-check.requested'], async (batch) => {
    if (sizes.push(batch.length) < 5) throw unavailable();
    for (const { data } of batch) received.add(data.checkId);
  });

  await until(() => received.size === published.length, 'all are received');
  expect(new Set(sizes.slice(0, 5)).size).toBe(1);
});

test('of a batch that fails for good only the failing event becomes a dead letter', async () => {
  const received = new Set<string>();
  const published = await publishChecks(20);
  const failing = published[7]?.checkId;

  await playground.batchConsumer(['cafe-check.requested'], async (batch) => {
    if (batch.some(({ data }) => data.checkId === failing)) throw new Error('this one');
    for (const { data } of batch) received.add(data.checkId);
  });

  await until(() => received.size === published.length - 1, 'the others are received');
  expect(received.has(failing ?? '')).toBe(false);
});

test('a consumer that stands still is seen: its lag grows, and the oldest event stays in hand', async () => {
  const released = Promise.withResolvers<undefined>();
  const told = async (name: string): Promise<number> => {
    const samples = samplesOf(await playground.metrics.text()).filter((each) => each.name === name);
    return samples.reduce((sum, { value }) => sum + value, 0);
  };
  const lag = () => told('gsb_kafka_lag_messages');
  const age = () => told('gsb_kafka_in_hand_age_seconds');
  await publishChecks(20);

  await playground.batchConsumer(['cafe-check.requested'], () => released.promise);
  await eventually(lag, (events) => events === 20, aFewMeasurementsMs);
  await publishChecks(30);
  await eventually(lag, (events) => events === 50, aFewMeasurementsMs);
  expect(await age()).toBeGreaterThan(0);

  released.resolve(undefined);
  await eventually(lag, (events) => events === 0, aFewMeasurementsMs);
  expect(await age()).toBe(0);
}, 40_000);
