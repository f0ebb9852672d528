import { topics } from '#libs/contracts/topics.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import { sleep } from '#libs/runtime/wait.ts';
import { withPartitions } from '#libs/kafka/admin/with-partitions.ts';
import { until } from '../support/eventually.ts';
import { withAdmin } from '../support/with-admin.ts';
import { check, openPlayground, suiteBrokers } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const topic = 'cafe-checks.v1';
const partitions = 12;
const keys = Array.from({ length: 100 }, (_, at) => `203.0.113.${at + 1}`);
let playground: Playground;

beforeEach(async () => {
  playground = await openPlayground([topic]);
});
afterEach(() => playground.close());

const grow = () =>
  ensureTopics({
    brokers: suiteBrokers(),
    topics: withPartitions({ [topic]: topics[topic] }, partitions),
    prefix: playground.kafka.onCluster(''),
  });

/** The partitions that have messages. */
const used = (): Promise<number> =>
  withAdmin(playground.kafka, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(playground.kafka.onCluster(topic));
    return offsets.filter(({ high }) => Number(high) > 0).length;
  });

test('partitions are added while keys are written and read: no event is lost, and the new partitions are read', async () => {
  const received = new Set<string>();
  const handlers = {
    'cafe-check.requested': async ({ checkId }: { checkId: string }) => void received.add(checkId),
  };
  for (const _ of [1, 2]) await playground.consumer('grown', handlers);
  const publisher = await playground.publisher();
  const published = new Set<string>();
  const publishRound = async () => {
    const round = keys.map((ip) => check(ip));
    await Promise.all(round.map((each) => publisher.publish('cafe-check.requested', each)));
    for (const { checkId } of round) published.add(checkId);
  };
  await publishRound();

  const { grown } = await grow();
  await until(
    async () => {
      await publishRound();
      await sleep(200);
      return (await used()) === partitions;
    },
    'all partitions are written to',
    30_000,
  );

  expect(grown).toEqual([playground.kafka.onCluster(topic)]);
  await until(() => [...published].every((id) => received.has(id)), 'all are received', 30_000);
}, 90_000);
