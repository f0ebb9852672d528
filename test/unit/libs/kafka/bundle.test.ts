import fc from 'fast-check';
import type { KafkaMessage, Message } from 'kafkajs';
import { ceType } from '#libs/contracts/events.ts';
import { createBundleWriter } from '#libs/kafka/bundle-writer.ts';
import { bundleType, messagesOf, unbundled } from '#libs/kafka/bundle.ts';
import { placedBy } from '#libs/kafka/producer/partition-of-key.ts';

const heartbeat = ceType('game-session.heartbeat');
const ending = ceType('game-session.ending');

const event = (key: string, type: string, id: string, note = '') => ({
  key,
  ...placedBy(key),
  value: JSON.stringify({ id, note }),
  headers: {
    ce_specversion: '1.0',
    ce_type: type,
    ce_source: '/gsb/a',
    ce_id: id,
    ce_subject: key,
    'content-type': 'application/json',
    gsb_request_id: `req_${note}`,
  },
});
const fetched = ({ key, value, headers }: Message, offset: number): KafkaMessage => ({
  key: key === null ? null : Buffer.from(key ?? ''),
  value: Buffer.from(value ?? ''),
  headers: Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(String(text))]),
  ),
  ...{ timestamp: '0', attributes: 0, offset: String(offset) },
});
const unbundle = (message: KafkaMessage) =>
  unbundled({ topic: 't', partition: 0, message }).map((each) => each.message);
const read = (messages: Iterable<Message>) =>
  [...messages].flatMap((message, at) => unbundle(fetched(message, at)));
const partitionOf = ({ key }: { key: string }) => key.charCodeAt(0) % 2;
const story = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    type: fc.constantFrom(heartbeat, heartbeat, heartbeat, ending),
    note: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', ',"data":', '}', '",\n{"key":"b"')),
  }),
  { maxLength: 60 },
);

describe('bundles (D-39)', () => {
  test('what is packed comes out again, whole and in the order of each key', () => {
    const property = fc.property(story, (told) => {
      const events = told.map(({ key, type, note }, at) => event(key, type, String(at), note));

      const out = read(messagesOf(events, partitionOf).keys());

      for (const key of ['a', 'b', 'c', 'd']) {
        const plain = (of: readonly KafkaMessage[]) =>
          of
            .filter((message) => message.key?.toString() === key)
            .map(({ value, headers }) => [
              value?.toString(),
              Object.entries(headers ?? {})
                .map(([name, text]) => [name, String(text)])
                .toSorted(),
            ]);
        const alone = events.map((each, at) => fetched(each, at));
        expect(plain(out)).toEqual(plain(alone));
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('the events of a moment share a message for each partition; those of other names go alone', () => {
    const beats = ['a', 'b', 'c', 'd'].map((key) => event(key, heartbeat, key));

    const messages = [...messagesOf([...beats, event('e', ending, 'e')], partitionOf)];

    expect(messages.map(([, carried]) => carried.map(({ key }) => key))).toEqual([
      ['a', 'c'],
      ['b', 'd'],
      ['e'],
    ]);
    expect(messages.map(([{ headers }]) => headers?.['content-type'])).toEqual([
      bundleType,
      bundleType,
      'application/json',
    ]);
    expect(messages.map(([{ partition }]) => partition)).toEqual([1, 0, undefined]);
  });

  test('what the events of a bundle have in common, and their subjects, which are their keys, are in no line', () => {
    const [[message] = []] = messagesOf(
      [event('a', heartbeat, '1'), event('c', heartbeat, '2')],
      partitionOf,
    );

    expect(String(message?.value).split('\n').slice(1, -1)).toEqual([
      '{"key":"a","headers":{"ce_id":"1","gsb_request_id":"req_"},"data":{"id":"1","note":""}},',
      '{"key":"c","headers":{"ce_id":"2","gsb_request_id":"req_"},"data":{"id":"2","note":""}}',
    ]);
  });

  test('a bundle has at most 500 events, and an event alone or without a known partition is no bundle', () => {
    const many = Array.from({ length: 1_001 }, (_, at) => event(`k${at}`, heartbeat, String(at)));

    expect([...messagesOf(many, () => 0).values()].map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(messagesOf(many, () => undefined).size).toBe(1_001);
  });

  test('what is written event by event is the message that the events would have shared', () => {
    const property = fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 20 }), (notes) => {
      const long = '-'.repeat(300);
      const events = notes.map((note, at) => event(`k${at}`, heartbeat, String(at), note + long));
      const writer = createBundleWriter(7);

      expect(events.map((each) => writer.add(each))).not.toContain(false);

      const { value, headers, events: count, queuedIn } = writer.end();
      const [message] = [...messagesOf(events, () => 7).keys()];
      const shared = { value: String(message?.value), headers: message?.headers };
      expect({ value: String(value), headers }).toEqual(shared);
      expect({ count, queuedIn }).toEqual({ count: notes.length, queuedIn: 7 });
    });
    fc.assert(property, { numRuns: 200 });
  });

  test('what is written event by event has room for 500 events or 256 KiB, and for the first one whatever its size', () => {
    const [small, long] = [event('a', heartbeat, '1'), event('b', heartbeat, '2', 'x'.repeat(300_000))];
    const takes = (...events: (typeof small)[]) => {
      const writer = createBundleWriter(0);
      return events.map((each) => writer.add(each)).filter(Boolean).length;
    };

    expect(takes(...Array.from({ length: 501 }, () => small))).toBe(500);
    expect(takes(small, long)).toBe(1);
    expect(takes(long, small)).toBe(1);
    expect(() => createBundleWriter(0).end()).toThrow('at least one event');
  });

  test('what is written already goes alone, and no event that comes later goes before it', () => {
    const writer = createBundleWriter(0);
    writer.add(event('b', heartbeat, '1'));
    const written = { ...writer.end(), headers: { ce_type: heartbeat } };
    const [before, after] = [event('a', heartbeat, '0'), event('b', heartbeat, '2')];

    const carried = [...messagesOf([before, written, after], () => 0).values()];

    expect(carried).toEqual([[before], [written], [after]]);
  });

  test.each(['a\nb\nc', '{"events":[]}'])(
    'a message that says it is a bundle and is none is left as it is: %j',
    (value) => {
      const message = fetched({ value, headers: { 'content-type': bundleType } }, 7);

      expect(unbundle(message)).toEqual([message]);
    },
  );

  const bundle = (lines: readonly string[], headers = {}) =>
    fetched(
      {
        value: `{"events":[\n${lines.join(',\n')}\n]}`,
        headers: { ce_type: heartbeat, 'content-type': bundleType, ...headers },
      },
      7,
    );
  const whole = '{"key":"a","headers":{"ce_id":"1"},"data":{"id":"1"}}';

  test.each([
    ['a key that is an array of any length', '{"key":{"length":4},"headers":{},"data":{}}'],
    ['a key of numbers', '{"key":[1,2],"headers":{},"data":{}}'],
    ['no key', '{"headers":{},"data":{}}'],
    ['a header that is no text', '{"key":"a","headers":{"traceparent":{"toString":1}},"data":{}}'],
    ['a header that is null', '{"key":"a","headers":{"ce_id":null},"data":{}}'],
    ['no headers', '{"key":"a","data":{}}'],
    ['nothing but null', 'null'],
    ['no data', '{"key":"a","headers":{}}'],
  ])('a bundle with a line of %s is taken apart by nobody', (_, line) => {
    const message = bundle([whole, line]);

    expect(unbundle(message)).toEqual([message]);
  });

  test('the type, source and subject of an event are those of its message and its key, whatever its line says', () => {
    const line = `{"key":"a","headers":{"ce_type":"${ending}","ce_source":"/gsb/b","ce_subject":"b"},"data":{}}`;

    const [event] = unbundle(bundle([line], { ce_source: '/gsb/a' }));

    expect(event?.headers).toEqual({
      ...{ ce_type: heartbeat, ce_source: '/gsb/a', ce_subject: 'a' },
      'content-type': 'application/json',
    });
  });

  test('a bundle of no type is taken apart by nobody', () => {
    const message = bundle([whole]);
    delete message.headers?.['ce_type'];

    expect(unbundle(message)).toEqual([message]);
  });
});
