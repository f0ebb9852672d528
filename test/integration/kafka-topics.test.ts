import { randomUUID } from 'node:crypto';
import { ConfigResourceTypes, ConfigSource } from 'kafkajs';
import { topics } from '#libs/contracts/topics.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import { createLog } from '#libs/runtime/log.ts';
import { runCommand } from '../support/command.ts';
import { until } from '../support/eventually.ts';
import { withAdmin } from '../support/with-admin.ts';
import { openPlayground, suiteBrokers } from './kafka-harness.ts';

const brokers = suiteBrokers();
const suiteKafka = connectKafka({
  ...{ brokers, clientId: 'test' },
  log: createLog({ service: 'test', instance: 'test', level: 'error' }),
});

test('the topics of the contracts are created once; doing it again changes nothing', async () => {
  const prefix = `test-${randomUUID()}.`;

  const first = await ensureTopics({ brokers, topics, prefix });
  const second = await ensureTopics({ brokers, topics, prefix });

  expect([...first.created].sort()).toEqual(
    Object.keys(topics)
      .map((name) => prefix + name)
      .sort(),
  );
  expect(second).toEqual({ created: [], grown: [], configured: [] });
});

test('a topic with too few partitions is grown, one with more is left as it is, and messages leave when their time is over', async () => {
  const prefix = `test-${randomUUID()}.`;
  const shaped = (partitions: number) => ({ 'a.v1': { partitions, retentionSec: 600 } });
  await ensureTopics({ brokers, topics: shaped(2), prefix });

  const grown = await ensureTopics({ brokers, topics: shaped(3), prefix });
  const kept = await ensureTopics({ brokers, topics: shaped(1), prefix });

  expect([grown.grown, kept.grown]).toEqual([[`${prefix}a.v1`], []]);
  await expect(stateOf(`${prefix}a.v1`)).resolves.toEqual({
    partitions: 3,
    'retention.ms': '600000',
    'segment.ms': '600000',
    'message.timestamp.type': 'LogAppendTime',
    'compression.type': 'producer',
    'min.insync.replicas': '1',
  });
});

test('a topic is created with as many copies as are wanted, and as many that must have a message; one that is there keeps its own', async () => {
  const prefix = `test-${randomUUID()}.`;
  const shape = { 'a.v1': { partitions: 1, retentionSec: 600 } };
  const copies = { replicationFactor: 1, minInsyncReplicas: 2 };
  await ensureTopics({ brokers, topics: shape, prefix, copies });

  await ensureTopics({
    brokers,
    topics: shape,
    prefix,
    copies: { replicationFactor: 1, minInsyncReplicas: 1 },
  });
  const tooMany = ensureTopics({
    ...{ brokers, prefix, topics: { 'b.v1': { partitions: 1, retentionSec: 600 } } },
    copies: { replicationFactor: 2, minInsyncReplicas: 1 },
  });

  await expect(tooMany).rejects.toThrow(/replication-factor is invalid/i);
  expect(await stateOf(`${prefix}a.v1`)).toMatchObject({ 'min.insync.replicas': '2' });
});

test('the Job says that topics are as they should be, whatever copies new ones are to have', async () => {
  const ended = await runCommand('deploy/image/jobs/topics.ts', [], {
    ...{ KAFKA_BROKERS: brokers.join(','), KAFKA_REPLICATION_FACTOR: '3', KAFKA_MIN_INSYNC_REPLICAS: '2' },
  });

  expect(ended).toMatchObject({ code: 0, out: 'the topics are as they should be\n' });
});

test('a service does not begin before its topic is there, as when Helm makes its pods first, and does when it is started again', async () => {
  const { consumer, kafka, close } = await openPlayground([]);
  const begin = () => consumer('early', { 'cafe-check.requested': async () => undefined });

  await expect(begin()).rejects.toThrow(/does not host this topic-partition/);
  await ensureTopics({ brokers, topics, prefix: kafka.onCluster('') });

  await expect(begin()).resolves.toBeDefined();
  await close();
});

test("a topic that bore its producers' time, or whose batches the broker compressed, does so no more, and keeps what else was configured for it (D-33)", async () => {
  const prefix = `test-${randomUUID()}.`;
  const shape = { 'a.v1': { partitions: 1, retentionSec: 600 } };
  const topic = `${prefix}a.v1`;
  const configEntries = [
    { name: 'retention.ms', value: '1234567' },
    { name: 'compression.type', value: 'zstd' },
  ];
  await withAdmin(suiteKafka, (admin) =>
    admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }] }),
  );

  const first = await ensureTopics({ brokers, topics: shape, prefix });
  const bears = async () => (await stateOf(topic))['message.timestamp.type'] === 'LogAppendTime';
  await until(bears, 'every broker knows of it');
  const second = await ensureTopics({ brokers, topics: shape, prefix });

  const settings = ['message.timestamp.type=LogAppendTime', 'compression.type=producer'];
  expect([first.configured, second.configured]).toEqual([[{ topic, settings }], []]);
  expect(await stateOf(topic)).toMatchObject({
    'retention.ms': '1234567',
    'message.timestamp.type': 'LogAppendTime',
    'compression.type': 'producer',
  });
});

test('a new topic keeps what its producers chose itself, whatever the default of the brokers becomes', async () => {
  const prefix = `test-${randomUUID()}.`;
  await ensureTopics({ brokers, topics: { 'a.v1': { partitions: 1, retentionSec: 600 } }, prefix });

  const { resources } = await withAdmin(suiteKafka, (admin) =>
    admin.describeConfigs({
      includeSynonyms: false,
      resources: [
        { type: ConfigResourceTypes.TOPIC, name: `${prefix}a.v1`, configNames: ['compression.type'] },
      ],
    }),
  );

  expect(resources[0]?.configEntries).toMatchObject([
    { configValue: 'producer', configSource: ConfigSource.TOPIC_CONFIG },
  ]);
});

const stateOf = (name: string): Promise<Record<string, unknown>> =>
  withAdmin(suiteKafka, async (admin) => {
    const { topics: found } = await admin.fetchTopicMetadata({ topics: [name] });
    const configNames = [
      ...['retention.ms', 'segment.ms', 'message.timestamp.type', 'compression.type'],
      'min.insync.replicas',
    ];
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name, configNames }],
    });
    const configs = (resources[0]?.configEntries ?? []).map(
      ({ configName, configValue }) => [configName, configValue] as const,
    );
    return { partitions: found[0]?.partitions.length, ...Object.fromEntries(configs) };
  });
