import { unavailable } from '#libs/contracts/errors.ts';
import { createProducerBuffer } from '#libs/kafka/producer/producer-buffer.ts';
import type { BufferedRecord } from '#libs/kafka/producer/producer-buffer.ts';
import { createIdempotentProducer } from '#libs/kafka/producer/idempotent-producer.ts';
import type { ProducerRecord } from '#libs/kafka/producer/idempotent-producer.ts';
import { eventually, openPlayground } from './kafka-harness.ts';

const farMs = 60_000;
const record = (key: string, deadlineMs = farMs): BufferedRecord => ({
  topic: 't',
  key,
  value: '{}',
  headers: {},
  deadlineMs,
});

/** A log that acknowledges nothing until `acknowledge` is called, and remembers the batches. */
const slowLog = () => {
  const batches: string[][] = [];
  const inFlight: (() => void)[] = [];
  return {
    batches,
    acknowledge: () => inFlight.splice(0).forEach((resolve) => resolve()),
    send: (records: () => readonly ProducerRecord[]) =>
      new Promise<void>((resolve) => {
        batches.push(records().map(({ key }) => key));
        inFlight.push(resolve);
      }),
  };
};

const onSize = () => undefined;

test('one request is in flight, and the next one carries all that was appended meanwhile', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, onSize, clock: () => 0 });
  const first = buffer.append(record('a'));
  await eventually(() => log.batches.length === 1, 'the first is in flight');

  const others = ['b', 'c', 'd'].map((key) => buffer.append(record(key)));
  log.acknowledge();
  await first;
  await eventually(() => log.batches.length === 2, 'the second is in flight');
  log.acknowledge();

  await Promise.all(others);
  expect(log.batches).toEqual([['a'], ['b', 'c', 'd']]);
});

test('a record whose deadline passes is refused, and is never sent if it was not in flight', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, onSize, clock: () => 0 });
  const first = buffer.append(record('a'));
  await eventually(() => log.batches.length === 1, 'the first is in flight');
  const late = buffer.append(record('late', 50));
  const other = buffer.append(record('other'));

  await expect(late).rejects.toEqual(unavailable());
  log.acknowledge();
  await first;
  await eventually(() => log.batches.length === 2, 'the second is in flight');
  log.acknowledge();
  await other;
  expect(log.batches).toEqual([['a'], ['other']]);
});

test('while the log acknowledges nothing, at most ten thousand records wait and the next one is refused at once', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, onSize, clock: () => 0 });
  const waiting = Array.from({ length: 10_000 }, (_, at) => buffer.append(record(String(at))));

  await expect(buffer.append(record('one too many'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  const drain = setInterval(log.acknowledge, 1);
  await Promise.all(waiting);
  clearInterval(drain);
  expect(Math.max(...log.batches.map((batch) => batch.length))).toBe(2_000);
});

test('a buffer that is closed while the log acknowledges nothing refuses what is in flight', async () => {
  const log = slowLog();
  const buffer = createProducerBuffer({ send: log.send, onSize, clock: () => 0 });
  const refused = expect(buffer.append(record('a'))).rejects.toEqual(unavailable());

  await buffer.close();

  await refused;
});

test('a producer that the broker no longer accepts is replaced, and the batch is sent again', async () => {
  const playground = await openPlayground(['cafe-checks.v1']);
  const { kafka, log } = playground;
  const producers: ReturnType<typeof kafka.producer>[] = [];
  const producer = () => {
    const made = kafka.producer();
    const sendBatch =
      producers.length > 0 ? made.sendBatch : () => Promise.reject(new Error('out of order sequence'));
    producers.push({ ...made, sendBatch });
    return producers.at(-1) ?? made;
  };
  const sender = createIdempotentProducer({ ...kafka, producer }, log);
  const topic = kafka.onCluster('cafe-checks.v1');
  await sender.connect();

  await sender.send(() => [{ ...record('a'), topic }]);

  await sender.disconnect();
  await playground.close();
  expect(producers).toHaveLength(2);
});
