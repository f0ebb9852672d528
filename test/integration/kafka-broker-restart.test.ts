import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startKafka } from '../../deploy/local/kafka.ts';
import type { KafkaStore } from '../../deploy/local/kafka.ts';
import { until } from '../support/eventually.ts';
import { check, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const bootDeadlineMs = 120_000;
const addresses = Array.from({ length: 12 }, (_, at) => `203.0.113.${at + 1}`);

let broker: KafkaStore;
let dir: string;
let playground: Playground;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gsb-kafka-'));
  broker = await startKafka({ dir });
  playground = await openPlayground(['cafe-checks.v1'], broker.brokers);
}, bootDeadlineMs);
afterAll(async () => {
  await playground.close();
  await broker.stop();
  await rm(dir, { recursive: true });
}, bootDeadlineMs);

/** First deliveries, by key: an event may be redelivered, but never before an earlier one of its key. */
const withoutRepeats = (received: ReadonlyMap<string, string[]>) =>
  new Map([...received].map(([ip, ids]) => [ip, [...new Set(ids)]] as const));

test(
  'a broker that is killed and comes back costs time, one line of kafkajs a minute and nothing else: every send succeeds, every event is handled, in order for each key',
  async () => {
    const published = new Map(addresses.map((ip): [string, string[]] => [ip, []]));
    const received = new Map(addresses.map((ip): [string, string[]] => [ip, []]));
    const sends: Promise<void>[] = [];
    const publisher = await playground.publisher();
    await playground.consumer('listener', {
      'cafe-check.requested': async ({ ip, checkId }) => void received.get(ip)?.push(checkId),
    });
    const publishUntil = async (over: () => boolean): Promise<void> => {
      while (!over()) {
        for (const each of addresses.map((ip) => check(ip))) {
          published.get(each.ip)?.push(each.checkId);
          sends.push(publisher.publish('cafe-check.requested', each));
        }
        await pause(20);
      }
    };

    await publishUntil(() => (received.get(addresses[0] ?? '')?.length ?? 0) > 20);
    await broker.kill();
    let back = false;
    const returned = broker.restart().then(() => (back = true));
    await publishUntil(() => back);
    await returned;
    await publishUntil(() => (received.get(addresses[0] ?? '')?.length ?? 0) > 40);

    await expect(Promise.all(sends)).resolves.toBeDefined();
    const all = () => [...published].every(([ip, ids]) => new Set(received.get(ip)).size === ids.length);
    await until(all, 'every event is handled', 30_000);
    expect(withoutRepeats(received)).toEqual(published);
    // Dozens of refused connections of all clients, within a minute.
    const said = playground.lines.filter((line) => /"msg":"kafkajs: .*(connect|closed)/i.test(line));
    expect(said).toHaveLength(1);
  },
  bootDeadlineMs,
);
