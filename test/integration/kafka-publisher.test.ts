import { unavailable } from '#libs/contracts/errors.ts';
import { jest } from '@jest/globals';
import { createProducerBuffer } from '#libs/kafka/producer/producer-buffer.ts';
import type { ProducerBuffer } from '#libs/kafka/producer/producer-buffer.ts';
import { createIdempotentProducer } from '#libs/kafka/producer/idempotent-producer.ts';
import type { ProducerRecord } from '#libs/kafka/encode-event.ts';
import { createPartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import { placedBy } from '#libs/kafka/producer/partition-of-key.ts';
import type { Placed } from '#libs/kafka/producer/partition-of-key.ts';
import { until } from '../support/eventually.ts';
import { ownTimeouts } from '../support/own-timeouts.ts';
import { openPlayground } from './kafka-harness.ts';

const farMs = 60_000;
afterEach(() => void jest.useRealTimers());

const record = (key: string, value = '{}'): ProducerRecord => ({
  ...placedBy(key),
  ...{ topic: 't', key, value, headers: {} },
});
/** Appends one record, whose publisher has time. */
const append = (buffer: ProducerBuffer, key: string, wait = {}): Promise<void> =>
  buffer.append([record(key)], { deadlineMs: farMs, ...wait });

/** A log that acknowledges nothing until `acknowledge` is called, and remembers the batches. */
const slowLog = () => {
  const batches: string[][] = [];
  const inFlight: (() => void)[] = [];
  return {
    batches,
    acknowledge: () => inFlight.splice(0).forEach((resolve) => resolve()),
    send: (records: () => readonly ProducerRecord[]) =>
      new Promise<void>((resolve) => {
        batches.push(records().map(({ key }) => String(key)));
        inFlight.push(resolve);
      }),
  };
};

const onSize = () => undefined;
/** One partition, whose leader never changes. */
const leaders = { partitionOf: () => 0, leaderOf: () => 1 };

test('one request is in flight, and the next one carries all that was appended meanwhile', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, leaders, onSize, clock: () => 0 });
  const first = append(buffer, 'a');
  await until(() => log.batches.length === 1, 'the first is in flight');

  const others = ['b', 'c', 'd'].map((key) => append(buffer, key));
  log.acknowledge();
  await first;
  await until(() => log.batches.length === 2, 'the second is in flight');
  log.acknowledge();

  await Promise.all(others);
  expect(log.batches).toEqual([['a'], ['b', 'c', 'd']]);
});

test('what lingers waits for the next record, and leaves before it; alone it leaves within a moment', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, leaders, onSize, clock: () => 0 });
  ownTimeouts();
  const [first, second] = ['a', 'b'].map((key) => append(buffer, key, { lingers: true }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(log.batches).toEqual([]);

  const third = append(buffer, 'c');
  await until(() => log.batches.length === 1, 'they are in flight');
  log.acknowledge();
  await Promise.all([first, second, third]);
  jest.useRealTimers();
  const alone = append(buffer, 'd', { lingers: true });
  await until(() => log.batches.length === 2, 'the last is in flight');
  log.acknowledge();

  await alone;
  expect(log.batches).toEqual([['a', 'b', 'c'], ['d']]);
});

test('a record whose deadline passes is refused, and is never sent if it was not in flight', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, leaders, onSize, clock: () => 0 });
  const first = append(buffer, 'a');
  await until(() => log.batches.length === 1, 'the first is in flight');
  const late = append(buffer, 'late', { deadlineMs: 50 });
  const other = append(buffer, 'other');

  await expect(late).rejects.toEqual(unavailable());
  log.acknowledge();
  await first;
  await until(() => log.batches.length === 2, 'the second is in flight');
  log.acknowledge();
  await other;
  expect(log.batches).toEqual([['a'], ['other']]);
});

test('while the log acknowledges nothing, at most ten thousand records wait and the next one is refused at once', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, leaders, onSize, clock: () => 0 });
  const waiting = Array.from({ length: 10_000 }, (_, at) => append(buffer, String(at)));

  await expect(append(buffer, 'one too many')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  const drain = setInterval(log.acknowledge, 1);
  await Promise.all(waiting);
  clearInterval(drain);
  expect(Math.max(...log.batches.map((batch) => batch.length))).toBe(2_000);
});

test('a buffer that is closed while the log acknowledges nothing refuses what is in flight', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, leaders, onSize, clock: () => 0 });
  const refused = expect(append(buffer, 'a')).rejects.toEqual(unavailable());

  await buffer.close();

  await refused;
});

describe('a broker that does not answer', () => {
  /** Keys are numbers of partitions, and partitions those of their leaders; leader 0 answers only when told to. */
  const twoBrokers = () => {
    const sent: string[] = [];
    const answers = Promise.withResolvers<undefined>();
    const send = async (records: () => readonly ProducerRecord[]) => {
      const keys = records().map(({ key }) => String(key));
      sent.push(...keys);
      if (keys.includes('0')) await answers.promise;
    };
    const { keyHash: first } = placedBy('0');
    const routes = {
      partitionOf: (_: string, { keyHash }: Placed) => (keyHash === first ? 0 : 1),
      leaderOf: (_: string, at: number) => at,
    };
    const buffer = createProducerBuffer({ send, leaders: routes, onSize, clock: () => 0 });
    return { sent, buffer, answer: () => answers.resolve(undefined) };
  };

  test('holds up its own partitions, and no other', async () => {
    const { sent, buffer, answer } = twoBrokers();
    const held = append(buffer, '0');

    await append(buffer, '1');
    const behind = append(buffer, '0');
    await append(buffer, '1');

    expect(sent).toEqual(['0', '1', '1']);
    answer();
    await Promise.all([held, behind]);
    expect(sent).toEqual(['0', '1', '1', '0']);
  });

  test('is waited for by who has the time, and refused at once to a caller after 2.5 s', async () => {
    const { buffer, answer } = twoBrokers();
    const held = append(buffer, '0');
    const urgent = () => append(buffer, '0', { isUrgent: true });
    const began = performance.now();
    const early = urgent();
    await until(async () => {
      return Promise.race([
        urgent().then(
          () => false,
          () => true,
        ),
        new Promise<boolean>((resolve) => setImmediate(resolve, false)),
      ]);
    }, 'an urgent record is refused');

    expect(performance.now() - began).toBeGreaterThan(2_400);
    const patient = append(buffer, '0');
    await expect(append(buffer, '1', { isUrgent: true })).resolves.toBeUndefined();
    answer();
    await Promise.all([held, early, patient]);
  });
});

test('records of one key keep their order while the partitions of their topic become known', async () => {
  const sent: string[] = [];
  let known = false;
  let acknowledge = (): void => undefined;
  const send = (records: () => readonly ProducerRecord[]) =>
    new Promise<void>((resolve) => {
      sent.push(...records().map(({ value }) => String(value)));
      acknowledge = resolve;
    });
  const routes = { partitionOf: () => (known ? 0 : undefined), leaderOf: () => 1 };
  const buffer = createProducerBuffer({ send, leaders: routes, onSize, clock: () => 0 });
  const add = (value: string) => buffer.append([record('a', value)], { deadlineMs: farMs });
  const first = add('1');
  await until(() => sent.length === 1, 'the first is in flight');
  const second = add('2');
  known = true;
  const third = add('3');
  acknowledge();
  await first;
  const fourth = add('4');
  await until(() => sent.length > 1, 'the next are in flight');
  const drain = setInterval(() => acknowledge(), 1);
  await Promise.all([second, third, fourth]);
  clearInterval(drain);

  expect(sent).toEqual(['1', '2', '3', '4']);
});

test('a producer that the broker no longer accepts is replaced, and the batch is sent again', async () => {
  const playground = await openPlayground(['cafe-checks.v1']);
  const { kafka, log } = playground;
  const producers: ReturnType<typeof kafka.producer>[] = [];
  const producer: typeof kafka.producer = (partitioner) => {
    const made = kafka.producer(partitioner);
    const sendBatch =
      producers.length > 0 ? made.sendBatch : () => Promise.reject(new Error('out of order sequence'));
    producers.push({ ...made, sendBatch });
    return producers.at(-1) ?? made;
  };
  const sender = createIdempotentProducer({ ...kafka, producer }, createPartitionLeaders(), log);
  const topic = kafka.onCluster('cafe-checks.v1');
  await sender.connect();

  const records = [{ ...record('a'), topic }];
  await sender.send(() => records);

  await sender.disconnect();
  await playground.close();
  expect(producers).toHaveLength(2);
});
