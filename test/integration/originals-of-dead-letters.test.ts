import { randomUUID } from 'node:crypto';
import { bundleType } from '#libs/kafka/bundle.ts';
import { letterOf } from '#libs/kafka/consumer/dead-letter.ts';
import { deleteRecordsBefore } from '#libs/kafka/admin/delete-records.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { republish } from '#libs/kafka/replay/republish.ts';
import { originalsOf } from '../../deploy/operations/dead-letters/originals.ts';
import type { StoredDeadLetter } from '../../deploy/operations/dead-letters/read-dead-letters.ts';
import { openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

type Letter = StoredDeadLetter['letter'];

const topics = ['renewals.v1', 'billing.v1'] as const;
const renewed = { ce_type: 'dev.gsb.billing.renewed' };
let playground: Playground;
beforeEach(async () => (playground = await openPlayground(topics)));
afterEach(() => playground.close());

const publish = (
  topic: (typeof topics)[number],
  key: string | null,
  headers: Record<string, string>,
  value: string,
) =>
  republish(playground.kafka, [
    { topic: playground.kafka.onCluster(topic), key, partition: 0, headers, value: Buffer.from(value) },
  ]);
const fetchAll = (how: 'read' | 'readWhole'): Promise<FetchedMessage[]> =>
  withLogReader({ kafka: playground.kafka, topics }, async (log) => {
    const found: FetchedMessage[] = [];
    await log[how](await log.rangesSince(0), (messages) => void found.push(...messages));
    return found;
  });
const lettersOf = (fetched: readonly FetchedMessage[]): Letter[] =>
  fetched.map((each) => letterOf(each, 'settlement', new TypeError('a bug')));
const originals = (letters: readonly Letter[], unproven = false) =>
  originalsOf(
    playground.kafka,
    letters.map((letter, at) => ({ id: `${at}`, partition: 0, atMs: 0, key: null, headers: {}, letter })),
    { unproven },
  );
/** What is published for these messages, when letters of them are replayed. */
const again = (fetched: readonly FetchedMessage[]) =>
  fetched.map(({ topic, partition, message: { key, value, headers } }, at) => ({
    ...{ topic, partition, key, value },
    headers: {
      ...Object.fromEntries(Object.entries(headers ?? {}).map(([name, each]) => [name, String(each)])),
      gsb_replay_of: `${at}`,
    },
  }));

const lineOf = (key: string) =>
  `{"key":"${key}","headers":{"ce_id":"${randomUUID()}"},"data":{"game_session_id":"${key}"}}`;
const publishBundle = (...keys: string[]) =>
  publish(
    'renewals.v1',
    null,
    { ...renewed, 'content-type': bundleType },
    `{"events":[\n${keys.map(lineOf).join(',\n')}\n]}`,
  );

test('letters of messages, of events of a bundle, of a whole bundle and of a replayed message are proved by the log', async () => {
  await publish('renewals.v1', 'alone', renewed, '{"of":"renewals"}');
  await publish('billing.v1', null, {}, 'no JSON, no key, no headers');
  await publishBundle('one', 'two');
  const [events, whole] = [await fetchAll('read'), await fetchAll('readWhole')];
  const replayed = await originals(lettersOf(events));
  expect(events).toHaveLength(4);
  expect(replayed).toEqual(again(events));
  expect(await originals(lettersOf(whole))).toEqual(again(whole));

  await republish(
    playground.kafka,
    replayed.filter((each) => 'topic' in each),
  );

  const all = await fetchAll('read');
  expect(all).toHaveLength(8);
  expect(await originals(lettersOf(all))).toEqual(again(all));
});

test('letters of a partition are proved however far apart their messages are, and however many they are', async () => {
  const { kafka } = playground;
  const producer = kafka.producer();
  await producer.connect();
  const messages = Array.from({ length: 6_000 }, (_, at) => ({
    key: `key ${at}`,
    value: `${at}`,
    partition: at % 2,
  }));
  await producer.send({ topic: kafka.onCluster('billing.v1'), messages });
  await producer.disconnect();
  const fetched = await fetchAll('read');
  const some = fetched.filter(({ message: { offset } }) => [0, 1, 99, 2_500, 2_999].includes(Number(offset)));

  expect(some).toHaveLength(10);
  expect(await originals(lettersOf(some))).toEqual(again(some));
  expect(await originals(lettersOf(fetched))).toEqual(again(fetched));
});

const [other, nothing] = ['another message at', 'nothing at'];
const forgeries: [what: string, forged: Partial<Letter>, has: string][] = [
  ['another value', { valueBase64: Buffer.from('{"of":"mine"}').toString('base64') }, other],
  ['another key', { key: 'of somebody else' }, other],
  ['no key', { key: null }, other],
  ['another type', { headers: [{ name: 'ce_type', value: 'dev.gsb.billing.stopped' }] }, other],
  [
    'a header more',
    {
      headers: [...Object.entries(renewed), ['ce_id', 'x']].map(([name = '', value = '']) => ({
        name,
        value,
      })),
    },
    other,
  ],
  ['no headers', { headers: [] }, other],
  ['the place of another message', { offset: '1' }, other],
  ['an offset that is not there yet', { offset: '2' }, nothing],
  ['an offset that is no number', { offset: '0x0' }, nothing],
  ['an offset below all', { offset: '-1' }, nothing],
  ['no offset', { offset: '' }, nothing],
  ['a partition that is not there', { partition: 99 }, nothing],
  ['an empty partition', { partition: 1 }, nothing],
];

test.each(forgeries)('a letter of a message with %s is refused', async (_, forged, has) => {
  await publish('renewals.v1', 'key', renewed, '{"of":"renewals"}');
  await publish('renewals.v1', 'key', renewed, '{"comes":"behind"}');
  const letter = { ...lettersOf(await fetchAll('read'))[0]!, ...forged };

  const refused = `#0: unproven: the log has ${has} ${letter.topic}/${letter.partition}@${letter.offset}`;
  expect(await originals([letter])).toEqual([{ refused }]);
});

test('a topic that only ends like one of ours, or has another’s prefix, or nobody reads, is none of this product', async () => {
  const [ours, bare] = [playground.kafka.onCluster('billing.v1'), 'billing.v1'];
  await publish('billing.v1', 'key', renewed, '{}');
  const [letter] = lettersOf(await fetchAll('read'));
  const foreign = [
    `x${ours}`,
    bare,
    `${ours} `,
    playground.kafka.onCluster('dead-letters.v1'),
    '',
    'toString',
  ];

  for (const unproven of [false, true])
    expect(
      await originals(
        foreign.map((topic) => ({ ...letter!, topic })),
        unproven,
      ),
    ).toEqual(foreign.map((topic, at) => ({ refused: `#${at}: ${topic} is no topic of this product` })));
});

test('a letter whose message the log has deleted is unproven: it says so itself, for who has looked at it', async () => {
  await publish('billing.v1', 'gone', renewed, '{"old":1}');
  await publish('billing.v1', 'kept', renewed, '{"new":1}');
  const fetched = await fetchAll('read');
  await deleteRecordsBefore(playground.kafka, { topic: 'billing.v1', partition: 0, offset: 1n });
  const [gone, kept] = again(fetched);

  const refused = `#0: unproven: the log has nothing at ${playground.kafka.onCluster('billing.v1')}/0@0`;
  expect(await originals(lettersOf(fetched))).toEqual([{ refused }, kept]);
  expect(await originals(lettersOf(fetched), true)).toEqual([{ ...gone, key: 'gone' }, kept]);
});
