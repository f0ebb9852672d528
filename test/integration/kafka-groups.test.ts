import { AssignerProtocol, Kafka, PartitionAssigners, logLevel } from 'kafkajs';
import { unavailable } from '#libs/contracts/errors.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { until } from '../support/eventually.ts';
import { check, openPlayground, suiteBrokers } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

let playground: Playground;

beforeEach(async () => {
  playground = await openPlayground(['cafe-checks.v1']);
});
afterEach(() => playground.close());

const foreignProtocol = {
  name: 'Other',
  metadata: AssignerProtocol.MemberMetadata.encode({ version: 1, topics: [], userData: Buffer.of() }),
};

const checks = (count: number) => Array.from({ length: count }, (_, at) => check(`10.0.0.${at % 200}`));

test('what a consumer has handled before it left is not handled again by the next one', async () => {
  const received: string[] = [];
  const publisher = await playground.publisher();
  const listen = () =>
    playground.consumer('listener', {
      'cafe-check.requested': async ({ checkId }) => void received.push(checkId),
    });
  const published = checks(200);
  const first = await listen();
  await Promise.all(published.map((each) => publisher.publish('cafe-check.requested', each)));
  await until(() => received.length === published.length, 'the first has received all');
  await first.stop();

  await listen();
  const last = check('10.0.1.1');
  await publisher.publish('cafe-check.requested', last);

  await until(() => received.includes(last.checkId), 'the second receives what is new');
  expect(received).toEqual([...new Set(received)]);
});

test('what a consumer could not finish before it leaves is handled by the next one', async () => {
  let tries = 0;
  const received = new Set<string>();
  const publisher = await playground.publisher();
  const first = await playground.consumer('listener', {
    'cafe-check.requested': async () => {
      tries += 1;
      throw unavailable();
    },
  });
  const published = checks(50);
  await Promise.all(published.map((each) => publisher.publish('cafe-check.requested', each)));
  await until(() => tries >= published.length, 'the first has tried all');
  await first.stop();

  await playground.consumer('listener', {
    'cafe-check.requested': async ({ checkId }) => void received.add(checkId),
  });

  await until(() => received.size === published.length, 'the next one handles all');
});

test('while consumers come and go under load, every event is handled', async () => {
  const received = new Set<string>();
  const handlers = {
    'cafe-check.requested': async ({ checkId }: { checkId: string }) => {
      await new Promise((resolve) => setImmediate(resolve));
      received.add(checkId);
    },
  };
  const publisher = await playground.publisher();
  const published = checks(6_000);
  const members: Component[] = [await playground.consumer('listener', handlers)];

  const churn = async (): Promise<void> => {
    for (let round = 0; round < 3; round += 1) {
      members.push(await playground.consumer('listener', handlers));
      await members.shift()?.stop();
    }
  };
  const speak = async (): Promise<void> => {
    for (let at = 0; at < published.length; at += 50) {
      await Promise.all(
        published.slice(at, at + 50).map((each) => publisher.publish('cafe-check.requested', each)),
      );
    }
  };
  await Promise.all([churn(), speak()]);

  await until(() => received.size === published.length, 'every event is handled', 30_000);
}, 90_000);

test('a fetch loop that dies of a bug is fatal: the process ends, instead of running on without messages', async () => {
  const failures: unknown[] = [];
  const { kafka, log } = playground;
  let bugs = 1;
  const buggy = {
    setToCurrentTime: () => {
      if ((bugs -= 1) === 0) throw new TypeError('a bug in the fetch loop');
    },
  };
  const gauge = (name: string) =>
    name === 'gsb_kafka_last_fetch_timestamp_seconds' ? buggy : playground.metrics.gauge(name as never);
  const metrics = { ...playground.metrics, gauge } as unknown as Metrics;
  const deadLetters = { publish: async () => undefined };
  const handlers = { 'cafe-check.requested': async () => undefined };
  const consumer = createConsumer({
    kafka,
    group: 'doomed',
    handlers,
    deadLetters,
    metrics,
    log,
    clock: Date.now,
  });
  const publisher = await playground.publisher();
  await playground.adopt(consumer, (error) => failures.push(error));

  await publisher.publish('cafe-check.requested', check('203.0.113.1'));

  await until(() => failures.length === 1, 'the crash is told');
  expect(String(failures[0])).toMatch(/a bug in the fetch loop/);
});

test('a group that speaks another protocol is not joined, and the service does not start', async () => {
  const { kafka } = playground;
  const topic = kafka.onCluster('cafe-checks.v1');
  const stranger = new Kafka({ brokers: suiteBrokers(), logLevel: logLevel.NOTHING }).consumer({
    groupId: kafka.onCluster('foreign'),
    maxWaitTimeInMs: 100,
    partitionAssigners: [
      (tools) => ({
        ...PartitionAssigners.roundRobin(tools),
        name: 'Other',
        protocol: () => foreignProtocol,
      }),
    ],
  });
  await stranger.subscribe({ topic });
  await stranger.run({ eachMessage: async () => undefined });
  await until(
    async () => (await stranger.describeGroup()).state === 'Stable',
    'the stranger is in the group',
  );

  await expect(
    playground.consumer('foreign', { 'cafe-check.requested': async () => undefined }),
  ).rejects.toThrow(/protocol/);

  await stranger.disconnect();
});
