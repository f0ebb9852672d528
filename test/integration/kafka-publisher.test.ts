import { unavailable } from '#libs/contracts/errors.ts';
import { createProducerBuffer } from '#libs/kafka/producer/producer-buffer.ts';
import type { ProducerRecord } from '#libs/kafka/producer/record-accumulator.ts';
import { createIdempotentProducer } from '#libs/kafka/producer/idempotent-producer.ts';
import { eventually, openPlayground } from './kafka-harness.ts';

const farMs = 60_000;
const letter = (key: string, deadlineMs = farMs): ProducerRecord => ({
  topic: 't',
  key,
  value: '{}',
  headers: {},
  deadlineMs,
});

/** A log that takes nothing until it is told to, and remembers the batches. */
const heldLog = () => {
  const batches: string[][] = [];
  const gates: (() => void)[] = [];
  return {
    batches,
    open: () => gates.splice(0).forEach((gate) => gate()),
    send: (letters: () => readonly ProducerRecord[]) =>
      new Promise<void>((resolve) => {
        batches.push(letters().map(({ key }) => key));
        gates.push(resolve);
      }),
  };
};

const onSize = () => undefined;

test('one request is in flight, and the next one carries all that was said meanwhile', async () => {
  const log = heldLog();
  const outbox = createProducerBuffer({ send: log.send, onSize, clock: () => 0 });
  const first = outbox.post(letter('a'));
  await eventually(() => log.batches.length === 1, 'the first is in flight');

  const others = ['b', 'c', 'd'].map((key) => outbox.post(letter(key)));
  log.open();
  await first;
  await eventually(() => log.batches.length === 2, 'the second is in flight');
  log.open();

  await Promise.all(others);
  expect(log.batches).toEqual([['a'], ['b', 'c', 'd']]);
});

test('whoever waits longer than his deadline is refused, and what was not yet on its way is never sent', async () => {
  const log = heldLog();
  let nowMs = 0;
  const outbox = createProducerBuffer({ send: log.send, onSize, clock: () => nowMs });
  const first = outbox.post(letter('a'));
  await eventually(() => log.batches.length === 1, 'the first is in flight');
  const late = outbox.post(letter('late', 5_000));
  const patient = outbox.post(letter('patient'));

  nowMs = 5_000;

  await expect(late).rejects.toEqual(unavailable());
  log.open();
  await first;
  await eventually(() => log.batches.length === 2, 'the second is in flight');
  log.open();
  await patient;
  expect(log.batches).toEqual([['a'], ['patient']]);
});

test('while the log takes nothing, at most ten thousand wait and the next one is refused at once', async () => {
  const log = heldLog();
  const outbox = createProducerBuffer({ send: log.send, onSize, clock: () => 0 });
  const waiting = Array.from({ length: 10_000 }, (_, at) => outbox.post(letter(String(at))));

  await expect(outbox.post(letter('one too many'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  const drain = setInterval(log.open, 1);
  await Promise.all(waiting);
  clearInterval(drain);
  expect(Math.max(...log.batches.map((batch) => batch.length))).toBe(2_000);
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
  const sender = createIdempotentProducer({ kafka: { ...kafka, producer }, log });
  const topic = kafka.onCluster('cafe-checks.v1');
  await sender.connect();

  await sender.send(() => [{ ...letter('a'), topic }]);

  await sender.disconnect();
  await playground.close();
  expect(producers).toHaveLength(2);
});
