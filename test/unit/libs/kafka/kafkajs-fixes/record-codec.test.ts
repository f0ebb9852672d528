import fc from 'fast-check';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import decodeByKafkajs from 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js';
import type { BatchContext } from 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js';
import encodeByKafkajs from 'kafkajs/src/protocol/recordBatch/record/v0/index.js';
import type { RecordToEncode } from 'kafkajs/src/protocol/recordBatch/record/v0/index.js';
import Long from 'kafkajs/src/utils/long.js';
import { decodeRecord, encodeRecord } from '#libs/kafka/kafkajs-fixes/record-codec.ts';

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const odd = [
  '',
  '\ud800',
  '한글 🎮',
  'é'.repeat(24),
  'a'.repeat(48),
  'a'.repeat(49),
  'a'.repeat(63),
  'a'.repeat(64),
];
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...odd, 'a'.repeat(70_000), '한'.repeat(9_000)),
);
const bytes = fc.oneof(fc.uint8Array(), fc.constant(new Uint8Array(20_000))).map((of) => Buffer.from(of));
const content = fc.oneof(text, bytes);
/** Names that every object inherits, and those that come first in an object, among them. */
const name = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'toString', '7', ...odd));
const delta = fc.oneof(
  fc.integer(),
  fc.nat({ max: 99_999 }),
  fc.maxSafeInteger(),
  fc.bigInt(int64),
  fc.bigInt(int64).map((value) => Long.fromValue(value)),
  fc.constantFrom(-0, Number.NaN, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, int64.min, int64.max),
);
const headers = fc
  .array(fc.tuple(name, fc.oneof(content, fc.array(content, { maxLength: 4 }))), { maxLength: 70 })
  .map((entries) => Object.fromEntries(entries));
const field = fc.option(content, { nil: null });
const records: fc.Arbitrary<RecordToEncode> = fc.record(
  {
    offsetDelta: fc.oneof(fc.nat({ max: 5_000 }), fc.integer()),
    timestampDelta: delta,
    key: field,
    value: field,
    headers,
  },
  { requiredKeys: [] },
);

const digits = fc
  .oneof(fc.nat(), fc.bigInt(int64), fc.constantFrom(2n ** 53n - 1n, 2n ** 53n + 1n))
  .map(String);
const contexts: fc.Arbitrary<BatchContext> = fc.record(
  {
    firstOffset: digits,
    firstTimestamp: digits,
    maxTimestamp: digits,
    timestampType: fc.constantFrom(0, 1),
    magicByte: fc.constant(2),
    isControlBatch: fc.boolean(),
  },
  { requiredKeys: ['firstOffset', 'firstTimestamp'] },
);

/** A record as any client may write it: headers in any order, repeated and without a value, and attributes. */
const written = fc
  .record({
    ...{
      attributes: fc.integer({ min: -128, max: 127 }),
      delta,
      offsetDelta: fc.integer(),
      key: field,
      value: field,
    },
    headers: fc.array(fc.tuple(fc.option(name, { nil: null }), field), { maxLength: 9 }),
  })
  .map(({ attributes, offsetDelta, ...record }) => {
    const all = record.headers.map(([of, value]) =>
      new Encoder().writeVarIntString(of).writeVarIntBytes(value),
    );
    const head = new Encoder().writeInt8(attributes).writeVarLong(record.delta).writeVarInt(offsetDelta);
    return head.writeVarIntBytes(record.key).writeVarIntBytes(record.value).writeVarIntArray(all).buffer;
  });

/** What comes of reading: the record, how far was read and the order of the headers, or why it failed. */
const outcome = (decode: typeof decodeRecord, body: Buffer, context?: BatchContext) => {
  const decoder = new Decoder(body);
  try {
    const record = decode(decoder, context);
    return { record, offset: decoder.offset, names: Object.keys(record.headers) };
  } catch (error) {
    return { failed: String(error) };
  }
};
const expectSame = (body: Buffer, context?: BatchContext) =>
  expect(outcome(decodeRecord, body, context)).toStrictEqual(outcome(decodeByKafkajs, body, context));

describe('the records of a batch', () => {
  const seed = Date.now();
  beforeAll(() => console.log(`seed ${seed}`));

  test('are written byte for byte as kafkajs writes them', () => {
    const property = fc.property(records, (record) => {
      const ours = encodeRecord(record);
      const theirs = encodeByKafkajs(record);

      expect(ours.buffer.equals(theirs.buffer)).toBe(true);
      expect(ours.size()).toBe(theirs.size());
      expect(ours).toBeInstanceOf(Encoder);
    });
    fc.assert(property, { numRuns: 1_000, seed });
  });

  test('are read as kafkajs reads them', () => {
    const property = fc.property(written, contexts, (body, context) => {
      expectSame(body, context);
    });
    fc.assert(property, { numRuns: 1_000, seed });
  });

  test('are read as kafkajs reads them where they are cut off or no records at all', () => {
    const cutOff = fc.tuple(written, fc.nat()).map(([body, at]) => body.subarray(0, at % (body.length + 1)));
    const anything = fc.uint8Array({ max: 0x7f, maxLength: 40 }).map((of) => Buffer.from(of));
    const empty = new Encoder()
      .writeInt8(0)
      .writeVarLong(0)
      .writeVarInt(0)
      .writeVarIntBytes('')
      .writeVarIntBytes('');
    const headless = fc
      .integer({ min: -9, max: 9 })
      .map((count) => Buffer.concat([empty.buffer, new Encoder().writeVarInt(count).buffer]));
    const property = fc.property(
      fc.oneof(cutOff, anything, headless),
      fc.option(contexts),
      (body, context) => {
        expectSame(body, context ?? undefined);
      },
    );
    fc.assert(property, { numRuns: 2_000, seed });
  });

  test('need a value in each header, which may be null', () => {
    const withHeader = (value: unknown) => ({ headers: { a: value } }) as RecordToEncode;
    const body = new Decoder(encodeRecord(withHeader(null)).buffer).readVarIntBytes()!;

    expect(decodeByKafkajs(new Decoder(body), { firstOffset: '0', firstTimestamp: '0' }).headers).toEqual({
      a: null,
    });
    expect(() => encodeRecord(withHeader(undefined))).toThrow(TypeError);
  });
});
