import { createRequire } from 'node:module';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import type { DecodedRecord } from 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js';
import type { MakeProduceRequest } from 'kafkajs/src/protocol/requests/produce/v3/request.js';
import '#libs/kafka/connection.ts';

const require = createRequire(import.meta.url);
const protocol = 'kafkajs/src/protocol';
/** Bytes of a request to produce before its messages, for a topic of one letter; a response to a fetch has them in the same form. */
const beforeMessages = 23;
const beforeBatch = beforeMessages + 4;
type Read<T> = (decoder: Decoder) => Promise<T>;

const gzip = 1;
const produced = async (compression = 0) => {
  const request = require(`${protocol}/requests/produce/v7/request.js`) as MakeProduceRequest;
  const messages = [{ key: 'k', value: 'v', headers: { a: ['1', '2'] }, timestamp: '5' }, { value: null }];
  const partitions = [{ partition: 0, firstSequence: 0, messages }];
  const topicData = [{ topic: 't', partitions }];
  return (await request({ acks: -1, timeout: 1, compression, topicData }).encode()).buffer;
};
const decoderAt = (buffer: Buffer, offset: number) => Object.assign(new Decoder(buffer), { offset });

const refuse = () => {
  throw new Error('called by kafkajs itself');
};
/** Only kafkajs' own functions for records use these. */
beforeAll(() => {
  Object.assign(Encoder.prototype, { writeVarIntArray: refuse });
  Object.assign(Decoder.prototype, { readVarIntArray: refuse });
});

test.each([
  ['', 0],
  [' compressed', gzip],
])('kafkajs writes and reads%s records with the functions that replace its own', async (_, compression) => {
  const decodeMessages = require(`${protocol}/requests/fetch/v4/decodeMessages.js`) as Read<DecodedRecord[]>;

  const found = await decodeMessages(decoderAt(await produced(compression), beforeMessages));

  expect(found.map(({ key, value }) => [String(key), String(value)])).toEqual([
    ['k', 'v'],
    ['null', 'null'],
  ]);
  expect(found[0]).toMatchObject({
    offset: '0',
    timestamp: '5',
    headers: { a: [Buffer.from('1'), Buffer.from('2')] },
  });
});

test('kafkajs writes no array of a request to produce whose batches are not compressed', async () => {
  const { writeArray } = Encoder.prototype;
  Object.assign(Encoder.prototype, { writeArray: refuse });

  const outcomes = await Promise.allSettled([produced(), produced(gzip)]);

  Object.assign(Encoder.prototype, { writeArray });
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

test('kafkajs still refuses a batch that is cut off', async () => {
  const readBatch = require(`${protocol}/recordBatch/v0/decoder.js`) as Read<unknown>;
  const cutOff = (await produced()).subarray(0, -1);

  await expect(readBatch(decoderAt(cutOff, beforeBatch))).rejects.toMatchObject({
    name: 'KafkaJSPartialMessageError',
  });
});
