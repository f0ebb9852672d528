import { randomUUID } from 'node:crypto';
import { unavailable } from '#libs/contracts/errors.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { bundleType } from '#libs/kafka/bundle.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import { originalsOf } from '../../deploy/operations/dead-letters/originals.ts';
import { until } from '../support/eventually.ts';
import { check, openPlayground } from './kafka-harness.ts';
import type { Playground } from './kafka-harness.ts';

type DeadLetter = EventData<'dead-letter.recorded'>;

let playground: Playground;
let dead: DeadLetter[];
let publisher: Publisher;

beforeEach(async () => {
  playground = await openPlayground(['cafe-checks.v1']);
  publisher = await playground.publisher();
  dead = [];
  await playground.consumer('undertaker', {
    'dead-letter.recorded': async (letter) => void dead.push(letter),
  });
});
afterEach(() => playground.close());

const publishRaw = async (
  headers: Record<string, string>,
  value: string,
  key = '203.0.113.9',
): Promise<void> => {
  const producer = playground.kafka.producer();
  await producer.connect();
  await producer.send({
    topic: playground.kafka.onCluster('cafe-checks.v1'),
    messages: [{ key, value, headers, partition: 0 }],
  });
  await producer.disconnect();
};

test.each([
  ['not JSON', { ce_type: 'dev.gsb.cafe-check.requested' }, '{', /the value is not JSON/],
  [
    'not matching the contract',
    { ce_type: 'dev.gsb.cafe-check.requested' },
    '{"ip":"203.0.113.9"}',
    /check_id/,
  ],
  ['no event at all', {}, '{}', /ce_type/],
])(
  'a message that is %s becomes a dead letter, and those behind it are handled',
  async (_, headers, value, reason) => {
    const received: string[] = [];
    await publishRaw(headers, value);
    await publisher.publish('cafe-check.requested', check('203.0.113.9'));

    await playground.consumer(
      'listener',
      { 'cafe-check.requested': async ({ ip }) => void received.push(ip) },
      publisher,
    );

    await until(() => received.length === 1 && dead.length === 1, 'one is received and one is dead');
    expect(dead[0]?.reason).toMatch(reason);
    expect(Buffer.from(dead[0]?.valueBase64 ?? '', 'base64').toString()).toBe(value);
  },
);

const tooMuch = 800_000;
const requested = { ce_type: 'dev.gsb.cafe-check.requested' };
const manyHeaders = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`note-${at}`, '\u0001'.repeat(1_000)]),
);

/** A message, and as much of it as its dead letter tells. */
const tooLarge = [
  [
    'a key',
    { ...{ headers: requested, key: 'k'.repeat(tooMuch) }, lacks: 'the end of its key' },
    { key: 'k'.repeat(4_096), headers: [{ name: 'ce_type', value: requested.ce_type }] },
  ],
  [
    'a header',
    { headers: { note: 'n'.repeat(tooMuch), ...requested }, lacks: '1 of its headers' },
    { key: '203.0.113.9', headers: [{ name: 'ce_type', value: requested.ce_type }] },
  ],
  [
    'many headers of characters that JSON writes as six',
    { headers: { ...requested, ...manyHeaders }, lacks: '290 of its headers' },
    { key: '203.0.113.9' },
  ],
] as const;

/** Both kinds of consumer, each with what is done with the addresses that it receives. */
const listeners: [string, (note: (ip: string) => void) => Promise<unknown>][] = [
  [
    'event by event',
    (note) =>
      playground.consumer('listener', { 'cafe-check.requested': async ({ ip }) => note(ip) }, publisher),
  ],
  [
    'in batches',
    (note) =>
      playground.batchConsumer(
        ['cafe-check.requested'],
        async (batch) => batch.forEach(({ data }) => note(data.ip)),
        publisher,
      ),
  ],
];

test.each(
  listeners.flatMap(([how, listen]) =>
    tooLarge.map(([what, ...rest]) => [what, how, listen, ...rest] as const),
  ),
)(
  'a message with %s too large for a dead letter blocks nobody who reads %s: it is a letter that says what it lacks',
  async (_what, _how, listen, { lacks, ...message }, left) => {
    const received: string[] = [];
    await publishRaw(message.headers, '{', 'key' in message ? message.key : undefined);
    await publishRaw(requested, JSON.stringify({ check_id: randomUUID(), ip: '203.0.113.9' }));

    await listen((ip) => received.push(ip));

    await until(() => received.length === 1 && dead.length === 1, 'one is received and one is dead');
    expect(dead[0]).toMatchObject({ offset: '0', ...left });
    expect(dead[0]?.reason).toBe(`Unreadable: the value is not JSON\nthis letter lacks ${lacks}`);
    const letter = { id: '7', partition: 0, atMs: 0, key: null, headers: {}, letter: dead[0]! };
    expect(await originalsOf(playground.kafka, [letter], { unproven: true })).toEqual([
      { refused: `#7: it lacks ${lacks}, so the original is not here` },
    ]);
  },
);

test.each(listeners)(
  'a bundle with a line that is no event is one dead letter for who reads %s, and holds up nobody (D-39)',
  async (_, listen) => {
    const received: string[] = [];
    const data = JSON.stringify({ check_id: randomUUID(), ip: '203.0.113.9' });
    const lines = ['{}', '{"traceparent":{"toString":1}}'].map(
      (headers) => `{"key":"203.0.113.9","headers":${headers},"data":${data}}`,
    );
    const value = `{"events":[\n${lines.join(',\n')}\n]}`;
    await publishRaw({ ...requested, 'content-type': bundleType }, value);
    await publishRaw(requested, data);

    await listen((ip) => received.push(ip));

    await until(() => received.length === 1 && dead.length === 1, 'one is received and one is dead');
    expect(Buffer.from(dead[0]?.valueBase64 ?? '', 'base64').toString()).toBe(value);
  },
);

test('an unknown event is skipped', async () => {
  const received: string[] = [];
  await publishRaw({ ce_type: 'dev.gsb.cafe-check.reconsidered' }, '{}');
  await publisher.publish('cafe-check.requested', check('203.0.113.9'));

  await playground.consumer(
    'listener',
    { 'cafe-check.requested': async ({ ip }) => void received.push(ip) },
    publisher,
  );

  await until(() => received.length === 1, 'the known one is received');
  expect(dead).toEqual([]);
});

test('an event whose handler fails three times becomes a dead letter with what was wrong', async () => {
  let tries = 0;
  await playground.consumer(
    'listener',
    {
      'cafe-check.requested': async () => {
        tries += 1;
        throw new TypeError('a bug');
      },
    },
    publisher,
  );

  await publisher.publish('cafe-check.requested', check('203.0.113.9'));

  await until(() => dead.length === 1, 'the event is dead');
  expect(tries).toBe(3);
  expect(dead[0]).toMatchObject({
    group: 'listener',
    key: '203.0.113.9',
    offset: '0',
    reason: 'TypeError: a bug',
  });
});

test('while something that a handler needs is away the event is retried until it succeeds, and never becomes a dead letter', async () => {
  let tries = 0;
  const received: string[] = [];
  await playground.consumer(
    'listener',
    {
      'cafe-check.requested': async ({ ip }) => {
        tries += 1;
        if (tries < 5) throw unavailable();
        received.push(ip);
      },
    },
    publisher,
  );

  await publisher.publish('cafe-check.requested', check('203.0.113.9'));

  await until(() => received.length === 1, 'the event is handled at last');
  expect(tries).toBe(5);
  expect(dead).toEqual([]);
});
