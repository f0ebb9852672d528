import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startKafka } from '../../deploy/local/kafka.ts';
import type { KafkaStore } from '../../deploy/local/kafka.ts';
import { check, eventually, openPlayground } from './kafka-harness.ts';
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

/** First hearings, by key: an event may come twice, but never before an earlier one of its key. */
const withoutRepeats = (heard: ReadonlyMap<string, string[]>) =>
  new Map([...heard].map(([ip, ids]) => [ip, [...new Set(ids)]] as const));

test(
  'a broker that is killed and comes back costs time and nothing else: every send succeeds, every event is handled, in order for each key',
  async () => {
    const said = new Map(addresses.map((ip): [string, string[]] => [ip, []]));
    const heard = new Map(addresses.map((ip): [string, string[]] => [ip, []]));
    const sends: Promise<void>[] = [];
    const publisher = await playground.publisher();
    await playground.consumer('listener', {
      'cafe-check.requested': async ({ ip, checkId }) => void heard.get(ip)?.push(checkId),
    });
    const speakUntil = async (over: () => boolean): Promise<void> => {
      while (!over()) {
        for (const each of addresses.map((ip) => check(ip))) {
          said.get(each.ip)?.push(each.checkId);
          sends.push(publisher.publish('cafe-check.requested', each));
        }
        await pause(20);
      }
    };

    await speakUntil(() => (heard.get(addresses[0] ?? '')?.length ?? 0) > 20);
    await broker.kill();
    let back = false;
    const returned = broker.restart().then(() => (back = true));
    await speakUntil(() => back);
    await returned;
    await speakUntil(() => (heard.get(addresses[0] ?? '')?.length ?? 0) > 40);

    await expect(Promise.all(sends)).resolves.toBeDefined();
    const all = () => [...said].every(([ip, ids]) => new Set(heard.get(ip)).size === ids.length);
    await eventually(all, 'every event is handled', 30_000);
    expect(withoutRepeats(heard)).toEqual(said);
  },
  bootDeadlineMs,
);
