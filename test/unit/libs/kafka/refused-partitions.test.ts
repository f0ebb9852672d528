import { jest } from '@jest/globals';
import { createIdempotentProducer } from '#libs/kafka/producer/idempotent-producer.ts';
import type { ProducerRecord } from '#libs/kafka/encode-event.ts';
import type { IdempotentProducer } from '#libs/kafka/producer/idempotent-producer.ts';
import { createPartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import { placedBy } from '#libs/kafka/producer/partition-of-key.ts';
import type { Placed } from '#libs/kafka/producer/partition-of-key.ts';
import { createProducerBuffer } from '#libs/kafka/producer/producer-buffer.ts';
import { brokerWith, metadataOf } from '../../../support/answering-broker.ts';
import { until } from '../../../support/eventually.ts';
import { ownTimeouts } from '../../../support/own-timeouts.ts';

const farMs = 60_000;
afterEach(() => void jest.useRealTimers());

const record = (key: string, topic = 't', value = '{}'): ProducerRecord => ({
  ...placedBy(key),
  ...{ topic, key, value, headers: {} },
});
const keys = ['refused', 'refused too', 'taken'];
const partitionOf = (_: string, { keyHash }: Placed): number =>
  keys.findIndex((key) => placedBy(key).keyHash === keyHash);

/** A log of three partitions on one broker, of which two refuse for as long as it is told to; requests that are held wait for `tryAgain`. */
const refusing = (isKnown: () => boolean = () => true) => {
  const sent: { keys: string[]; wereRefused: boolean }[] = [];
  const places: (number | undefined)[][] = [];
  let [refuses, tryAgain] = [true, Promise.withResolvers<undefined>()];
  let firstAnswer: Promise<undefined> | undefined;
  const send: IdempotentProducer['send'] = async (records, { onTaken, wereRefused = false } = {}) => {
    for (let batch = records(); batch.length > 0; batch = records().filter((each) => batch.includes(each))) {
      sent.push({ keys: batch.map(({ value, key }) => String(value === '{}' ? key : value)), wereRefused });
      places.push(batch.map(({ queuedIn }) => queuedIn));
      await firstAnswer;
      const taken = batch.filter(({ key }) => !refuses || key === 'taken');
      onTaken?.(taken);
      if (taken.length === batch.length) return;
      await tryAgain.promise;
    }
  };
  const leaders = {
    partitionOf: (topic: string, placed: Placed) => (isKnown() ? partitionOf(topic, placed) : undefined),
    leaderOf: () => 1,
  };
  const buffer = createProducerBuffer({ send, leaders, onSize: () => undefined, clock: () => 0 });
  const append = (key: string, { deadlineMs = farMs, isUrgent = false, value = '{}' } = {}) =>
    buffer.append([record(key, 't', value)], { deadlineMs, isUrgent });
  return {
    ...{ sent, places, append },
    heal: () => void (refuses = false),
    answerAfter: (answer: Promise<undefined>) => void (firstAnswer = answer),
    tryAgain: () => {
      const { resolve } = tryAgain;
      tryAgain = Promise.withResolvers<undefined>();
      resolve(undefined);
    },
  };
};

test('who refused last is asked apart from the others until something is taken (D-68)', async () => {
  ownTimeouts();
  const { sent, append, heal, tryAgain } = refusing();
  const givesUp = append('refused', { deadlineMs: 20 }).catch(() => undefined);
  await append('taken');
  jest.advanceTimersByTime(20);
  await givesUp;
  tryAgain();
  heal();

  await Promise.all([append('refused'), append('taken')]);
  await Promise.all([append('refused'), append('taken')]);

  const together = { keys: ['refused', 'taken'], wereRefused: false };
  expect([sent[0], sent[3]]).toEqual([together, together]);
  expect(new Set(sent.slice(1, 3))).toEqual(
    new Set([
      { keys: ['refused'], wereRefused: true },
      { keys: ['taken'], wereRefused: false },
    ]),
  );
});

test('of two that refuse, the one whose publishers have given up is asked for the next, while the other is tried again', async () => {
  ownTimeouts();
  const { sent, append, heal, tryAgain } = refusing();
  const patient = append('refused too');
  const givesUp = append('refused', { deadlineMs: 20 }).catch(() => undefined);
  await append('taken');
  jest.advanceTimersByTime(20);
  await givesUp;
  const next = append('refused');
  tryAgain();

  await until(() => sent.at(-1)?.keys.join() === 'refused', 'the next is sent');
  heal();
  tryAgain();
  await Promise.all([patient, next]);
});

test('a caller is told at once while something of a partition is in flight that has refused for 2.5 s, and of no other', async () => {
  const { sent, append, tryAgain, heal, answerAfter } = refusing();
  let refusedFrom: number | undefined;
  await until(async () => {
    const give = ['refused', 'refused too'].map((key) => append(key, { deadlineMs: 300 }));
    await Promise.allSettled(give);
    refusedFrom ??= performance.now();
    tryAgain();
    return performance.now() - refusedFrom > 2_600;
  }, 'two partitions to have refused for long');
  const answer = Promise.withResolvers<undefined>();
  answerAfter(answer.promise);
  const before = sent.length;
  const patient = append('refused');
  await until(() => sent.length > before, 'a record of one is in flight');

  await expect(append('refused', { isUrgent: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const other = append('refused too', { isUrgent: true });
  heal();
  answer.resolve(undefined);

  await Promise.all([patient, other]);
});

test('of a topic that becomes known by a refusal the other partitions go on, each key in its order and its partition', async () => {
  let isKnown = false;
  const { sent, places, append, heal, tryAgain } = refusing(() => isKnown);
  const first = append('refused', { value: '1' });
  const beside = append('taken');
  isKnown = true;
  await beside;
  const second = append('refused', { value: '2' });
  await append('taken');
  heal();
  tryAgain();
  await Promise.all([first, second]);

  expect(sent.flatMap(({ keys }) => keys)).toEqual(['1', 'taken', 'taken', '1', '2']);
  expect(places.flat()).toEqual([undefined, undefined, 2, 0, 0]);
});

test('a record is sent to the partition in whose queue it waits, so that none is in two requests while its topic grows', async () => {
  let partitions = 1;
  const sent: (number | undefined)[][] = [];
  const answers = [1, 2].map(() => Promise.withResolvers<undefined>());
  const send: IdempotentProducer['send'] = async (records) => {
    sent.push(records().map(({ queuedIn }) => queuedIn));
    await answers[sent.length - 1]?.promise;
  };
  const growing = {
    partitionOf: (_: string, { keyHash }: Placed) => keyHash % partitions,
    leaderOf: () => 1,
  };
  const buffer = createProducerBuffer({ send, leaders: growing, onSize: () => undefined, clock: () => 0 });
  const append = (key: string) => buffer.append([record(key)], { deadlineMs: farMs });
  const first = append('a');
  await until(() => sent.length === 1, 'the first is in flight');

  const behind = append('b');
  partitions = 1_000;
  answers.forEach(({ resolve }) => resolve(undefined));
  await Promise.all([first, behind]);

  expect(sent).toEqual([[0], [0]]);
});

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
type SendBatch = (batch: { topicMessages: { topic: string; messages: object[] }[] }) => Promise<unknown>;
/** Sends by producers that do what they are made to, and notes by which. */
const senderOf = (sendBatchOf: (number: number) => SendBatch) => {
  let made = 0;
  const producer = () => ({
    connect: async () => undefined,
    disconnect: async () => undefined,
    sendBatch: sendBatchOf(made++),
  });
  return createIdempotentProducer({ producer, bundles: false } as never, createPartitionLeaders(), log);
};

test('a producer that kafkajs has miscounted sends no other batch: its numbers may be those of the log (D-69)', async () => {
  const broker = brokerWith([0], undefined, [0], [0], [0]);
  const by: number[] = [];
  const countsTwice = [false, true, true, false];
  const sender = senderOf((number) => async ({ topicMessages: [first] }) => {
    by.push(number);
    Object.assign(first?.messages[0] ?? {}, { partition: 0 });
    const send = () => broker.produce('t', [0]);
    const answer = metadataOf(await send().catch(send));
    if (countsTwice[by.length - 1]) await send();
    return answer;
  });

  for (const each of ['a', 'b', 'c', 'd'].map((key) => record(key))) await sender.send(() => [each]);
  await sender.disconnect();

  expect(by).toEqual([0, 0, 1, 2]);
});

test('a topic that may not even be looked at holds up no other topic of the same batch', async () => {
  const sentByFirst: string[] = [];
  let [running, mostAtOnce] = [0, 0];
  const sender = senderOf((number) => async ({ topicMessages }) => {
    if (number === 0) sentByFirst.push(topicMessages.map(({ topic }) => topic).join());
    mostAtOnce = Math.max(mostAtOnce, (running += 1));
    await new Promise(setImmediate);
    running -= 1;
    if (topicMessages.some(({ topic }) => topic === 'hidden')) throw new Error('not authorized');
    for (const { messages } of topicMessages) Object.assign(messages[0] ?? {}, { partition: 0 });
    return topicMessages.map(({ topic }) => ({ topicName: topic, partition: 0, errorCode: 0 }));
  });
  const [hidden, seen] = [record('a', 'hidden'), record('a', 'seen')];
  const taken: ProducerRecord[] = [];
  const over = sender.send(() => [hidden, seen], { onTaken: (some) => void taken.push(...some) });

  await until(() => taken.includes(seen), 'the other topic is taken');
  await sender.disconnect();

  await expect(over).rejects.toThrow('disconnected');
  expect(taken).toEqual([seen]);
  expect(sentByFirst).toEqual(['hidden,seen']);
  expect(mostAtOnce).toBe(1);
});
