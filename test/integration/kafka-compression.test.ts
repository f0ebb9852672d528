import { CompressionTypes, ConfigResourceTypes } from 'kafkajs';
import { until } from '../support/eventually.ts';
import { withAdmin } from '../support/with-admin.ts';
import { check, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

let playground: Playground;
beforeEach(async () => (playground = await openPlayground(['cafe-checks.v1'])));
afterEach(() => playground.close());

const topic = () => playground.kafka.onCluster('cafe-checks.v1');
const setting = { type: ConfigResourceTypes.TOPIC, name: 'compression.type' };

/** Has the broker compress what is written from now on. */
const compressWith = (value: string) =>
  withAdmin(playground.kafka, async (admin) => {
    const resource = { type: setting.type, name: topic() };
    const configEntries = [{ name: setting.name, value }];
    await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] });
    await until(async () => {
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] });
      const entries = resources[0]?.configEntries ?? [];
      return entries.some(
        ({ configName, configValue }) => configName === setting.name && configValue === value,
      );
    }, 'the broker knows of it');
  });

const sendWith = async (compression: CompressionTypes, value: string | Buffer) => {
  const producer = playground.kafka.producer();
  await producer.connect();
  const headers = { ce_type: 'dev.gsb.cafe-check.requested' };
  const messages = [{ key: '203.0.113.9', value, headers, partition: 0 }];
  await producer.send({ topic: topic(), messages, compression });
  await producer.disconnect();
};

const listen = async () => {
  const received: string[] = [];
  await playground.consumer('listener', {
    'cafe-check.requested': async ({ ip }) => void received.push(ip),
  });
  return received;
};

test.each(['zstd', 'gzip'])('what a broker compresses with %s is read', async (type) => {
  const publisher = await playground.publisher();
  const received = await listen();
  await compressWith(type);

  const ips = Array.from({ length: 40 }, (_, at) => `203.0.113.${at}`);
  await Promise.all(ips.map((ip) => publisher.publish('cafe-check.requested', check(ip))));

  await until(() => received.length === ips.length, 'all are received');
  expect(received.toSorted()).toEqual(ips.toSorted());
});

test.each([
  ['zstd', CompressionTypes.ZSTD],
  ['gzip', CompressionTypes.GZIP],
])('what a producer compresses with %s is read', async (_, compression) => {
  await sendWith(compression, '{"check_id":"0d3c7c1c-5f5c-4c5b-9d0b-1d2f3a4b5c6d","ip":"203.0.113.9"}');

  const received = await listen();

  await until(() => received.length === 1, 'it is received');
});

const ended = (): string | undefined => playground.lines.find((line) => line.startsWith('fatal: '));

test.each(['lz4', 'snappy'])(
  'whoever cannot read %s ends, and says where it is and what to do',
  async (type) => {
    const publisher = await playground.publisher();
    await listen();
    await compressWith(type);

    await publisher.publish('cafe-check.requested', check('203.0.113.9'));

    await until(() => ended() !== undefined, 'the consumer has ended');
    expect(ended()).toMatch(
      new RegExp(
        `a batch of ${topic()}/\\d+ is compressed with ${type}.*: let its writers use gzip, zstd or no`,
      ),
    );
  },
);

test.each([
  ['zstd', CompressionTypes.ZSTD],
  ['gzip', CompressionTypes.GZIP],
])('a batch of %s takes no more memory than 32 MiB: whoever reads it ends', async (_, compression) => {
  await listen();

  await sendWith(compression, Buffer.alloc(34_000_000));

  await until(() => ended() !== undefined, 'the consumer has ended');
  expect(ended()).toMatch(new RegExp(`a batch of ${topic()}/0 .*larger than the 33554432 bytes`));
});
