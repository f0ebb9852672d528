import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { startKafkaCluster } from '../../deploy/local/kafka.ts';
import type { KafkaCluster } from '../../deploy/local/kafka.ts';
import { check, openPlayground } from '../integration/kafka-harness.ts';
import type { Playground } from '../integration/kafka-harness.ts';
import { until } from '../support/eventually.ts';

const deadlineMs = 240_000;
const kills = Number(process.env['BROKER_KILLS'] ?? 2);
const addresses = Array.from({ length: 24 }, (_, at) => `203.0.113.${at + 1}`);

let cluster: KafkaCluster;
let dir: string;
let playground: Playground;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gsb-kafka-'));
  cluster = await startKafkaCluster({ dir });
  playground = await openPlayground(['cafe-checks.v1'], cluster.brokers);
}, deadlineMs);
afterAll(async () => {
  await playground.close();
  await cluster.stop();
  await rm(dir, { recursive: true, force: true });
}, deadlineMs);

/** Publishes to every partition until told to stop; gives the ids that were acknowledged. */
const publishUntil = async (over: () => boolean): Promise<string[]> => {
  const publisher = await playground.publisher();
  const acknowledged: string[] = [];
  const sends = new Set<Promise<void>>();
  while (!over()) {
    for (const [index, each] of addresses.map((ip) => check(ip)).entries()) {
      // Every third publisher gives up soon, as a heartbeat does.
      const options = index % 3 === 0 ? { timeoutMs: 500 } : {};
      const send = publisher.publish('cafe-check.requested', each, options).then(
        () => void acknowledged.push(each.checkId),
        () => undefined,
      );
      sends.add(send);
      void send.finally(() => sends.delete(send));
    }
    await pause(50);
  }
  await Promise.all(sends);
  return acknowledged;
};

const idsOnTheLog = async (): Promise<Set<string>> => {
  const ids = new Set<string>();
  await withLogReader({ kafka: playground.kafka, topics: ['cafe-checks.v1'] }, async (log) =>
    log.read(await log.rangesSince(0), (messages) => {
      for (const { message } of messages)
        ids.add((JSON.parse(String(message.value)) as { check_id: string }).check_id);
    }),
  );
  return ids;
};

/** Several groups, so that each broker that is killed is the coordinator of one. */
const groups = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** What each group has received. */
const receiveAll = async (): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const received = new Map(groups.map((group) => [group, new Set<string>()]));
  for (const [group, ids] of received)
    await playground.consumer(group, {
      'cafe-check.requested': async ({ checkId }) => void ids.add(checkId),
    });
  return received;
};

/** How often each group was joined. */
const joins = async (): Promise<number[]> => {
  const counter = await playground.metrics.counter('gsb_kafka_rebalances_total').get();
  return groups.map((group) => counter.values.find(({ labels }) => labels.group === group)?.value ?? 0);
};

test(
  'an event that was acknowledged is on the log, however often leaders move while it is sent, and no group has to be joined again to receive it',
  async () => {
    let over = false;
    const received = await receiveAll();
    const publishing = publishUntil(() => over);
    for (let kill = 0; kill < kills; kill += 1) {
      const node = cluster.nodes[kill % cluster.nodes.length]!;
      await pause(1_500);
      await node.kill();
      await pause(4_000);
      await node.restart();
      await pause(3_000);
    }
    over = true;

    const acknowledged = await publishing;

    const written = await idsOnTheLog();
    const lost = acknowledged.filter((id) => !written.has(id));
    expect(lost).toEqual([]);
    for (const ids of received.values())
      await until(() => [...written].every((id) => ids.has(id)), 'every event has been received', 60_000);
    expect(await joins()).toEqual(groups.map(() => 1));
  },
  deadlineMs,
);
