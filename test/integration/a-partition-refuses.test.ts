import { ConfigResourceTypes, KafkaJSConnectionError } from 'kafkajs';
import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';
import { createIdempotentProducer } from '#libs/kafka/producer/idempotent-producer.ts';
import type { IdempotentProducer } from '#libs/kafka/producer/idempotent-producer.ts';
import { createPartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import type { PartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import { placedBy } from '#libs/kafka/producer/partition-of-key.ts';
import type { Placed } from '#libs/kafka/producer/partition-of-key.ts';
import { createProducerBuffer } from '#libs/kafka/producer/producer-buffer.ts';
import { republish } from '#libs/kafka/replay/republish.ts';
import { until } from '../support/eventually.ts';
import { withAdmin } from '../support/with-admin.ts';
import { openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

const deadlineMs = 60_000;
const record = (topic: string, key: string) => ({
  ...placedBy(key),
  ...{ topic, key, value: 'x'.repeat(200), headers: {} },
});
const bufferOf = (
  send: IdempotentProducer['send'],
  leaders: Pick<PartitionLeaders, 'partitionOf' | 'leaderOf'>,
) => {
  const buffer = createProducerBuffer({ send, leaders, onSize: () => undefined, clock: () => 0 });
  return {
    ...buffer,
    add: (topic: string, key = 'a') => buffer.append([record(topic, key)], { deadlineMs }),
  };
};

test('of an answer that refuses a partition the others are over, and what came meanwhile is sent', async () => {
  const sent: string[][] = [];
  const secondTry = Promise.withResolvers<undefined>();
  const send: IdempotentProducer['send'] = async (records, options) => {
    const batch = records();
    sent.push(batch.map(({ key }) => String(key)));
    if (sent.length > 1) return;
    options?.onTaken?.(batch.filter(({ key }) => key !== 'refused'));
    await secondTry.promise;
  };
  const { keyHash: refused } = placedBy('refused');
  const partitionOf = (_: string, { keyHash }: Placed) => (keyHash === refused ? 0 : 1);
  const buffer = bufferOf(send, { partitionOf, leaderOf: () => 1 });
  const held = buffer.add('t', 'refused');

  await buffer.add('t', 'taken');
  const behind = buffer.add('t', 'refused');
  await buffer.add('t', 'taken');
  secondTry.resolve(undefined);
  await Promise.all([held, behind]);

  expect(sent).toEqual([['refused', 'taken'], ['taken'], ['refused']]);
});

/** Sets how large the messages of a topic may be. */
const allow = (playground: Playground, topic: string, bytes: number) => {
  const configEntries = [{ name: 'max.message.bytes', value: String(bytes) }];
  const resources = [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }];
  return withAdmin(playground.kafka, (admin) => admin.alterConfigs({ validateOnly: false, resources }));
};

/** Has a topic refuse what is longer than 100 bytes, which its broker does a moment after it was told. */
const refuseLong = async (playground: Playground, topic: string): Promise<void> => {
  const producer = playground.kafka.producer();
  await producer.connect();
  const isRefused = () =>
    producer.send({ topic, messages: [{ value: 'x'.repeat(200) }] }).then(
      () => false,
      () => true,
    );
  await allow(playground, topic, 100);
  await until(isRefused, 'the topic refuses');
  await producer.disconnect();
};

const recordsOn = (playground: Playground, topic: string): Promise<number> =>
  withAdmin(playground.kafka, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.reduce((sum, { high }) => sum + Number(high), 0);
  });

test('a topic that refuses a record holds up no other of its broker, and has it once it takes it', async () => {
  const playground = await openPlayground(['cafe-checks.v1', 'billing.v1']);
  const { kafka, log, lines } = playground;
  const [narrow, wide] = [kafka.onCluster('cafe-checks.v1'), kafka.onCluster('billing.v1')];
  const leaders = createPartitionLeaders();
  const sender = createIdempotentProducer(kafka, leaders, log);
  await sender.connect();
  const buffer = bufferOf(sender.send, leaders);
  await Promise.all([buffer.add(narrow), buffer.add(wide)]);
  await refuseLong(playground, narrow);

  let isTaken = false;
  const refused = buffer.add(narrow).then(() => void (isTaken = true));
  for (const _ of [1, 2, 3]) await buffer.add(wide);
  expect(isTaken).toBe(false);
  await allow(playground, narrow, 1_000_000);
  await refused;

  await buffer.close();
  await sender.disconnect();
  await playground.close();
  expect(lines.find((line) => line.includes('a partition refused its records'))).toContain(
    'MESSAGE_TOO_LARGE',
  );
});

const tooFewReplicas = 19;

/**
 * Loses the broker's answer to the next request to produce, and makes that to its repetition NOT_ENOUGH_REPLICAS: a topic with one replica never has
 * too few, and what was written before is not written by the repetition either. Returns what became of both.
 */
const loseThenRefuse = () => {
  const { decode } = answer;
  const made: ('lost' | number)[] = [];
  answer.decode = async (raw) => {
    const { topics: found } = await decode(raw);
    if (made.length === 0) {
      made.push('lost');
      throw new KafkaJSConnectionError('the answer is lost');
    }
    made.push(tooFewReplicas);
    answer.decode = decode;
    const refused = found.map(({ topicName, partitions }) => ({
      topicName,
      partitions: partitions.map((each) => ({ ...each, errorCode: tooFewReplicas })),
    }));
    return { topics: refused };
  };
  return made;
};

test('a record that was written, and then has too few replicas, is on the log once (D-69)', async () => {
  const playground = await openPlayground(['cafe-checks.v1']);
  const { kafka, log } = playground;
  const topic = kafka.onCluster('cafe-checks.v1');
  const leaders = createPartitionLeaders();
  const sender = createIdempotentProducer(kafka, leaders, log);
  await sender.connect();
  const buffer = bufferOf(sender.send, leaders);
  await buffer.add(topic);
  const answers = loseThenRefuse();

  await buffer.add(topic);

  expect(answers).toEqual(['lost', tooFewReplicas]);
  expect(await recordsOn(playground, topic)).toBe(2);
  await buffer.close();
  await sender.disconnect();
  await playground.close();
});

test('a message that has too few replicas for a moment is published again, and once', async () => {
  const playground = await openPlayground(['cafe-checks.v1']);
  const topic = playground.kafka.onCluster('cafe-checks.v1');
  const answers = loseThenRefuse();

  await republish(playground.kafka, [{ topic, key: 'a', value: Buffer.from('{}'), headers: {} }]);

  expect(answers).toEqual(['lost', tooFewReplicas]);
  expect(await recordsOn(playground, topic)).toBe(1);
  await playground.close();
});

test('a message that its topic refuses is told of when it is published again', async () => {
  const playground = await openPlayground(['cafe-checks.v1']);
  const topic = playground.kafka.onCluster('cafe-checks.v1');
  await refuseLong(playground, topic);

  const again = republish(playground.kafka, [
    { topic, key: 'a', value: Buffer.from('x'.repeat(200)), headers: {} },
  ]);

  await expect(again).rejects.toMatchObject({ type: 'MESSAGE_TOO_LARGE' });
  await playground.close();
});
