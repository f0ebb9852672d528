import { createRequire } from 'node:module';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import type { DecodedRecord } from 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js';
import '#libs/kafka/connection.ts';

const require = createRequire(import.meta.url);
const protocol = 'kafkajs/src/protocol';
/** Bytes of a request to produce before its messages, for a topic of one letter; a response to a fetch has them in the same form. */
const beforeMessages = 23;
const beforeBatch = beforeMessages + 4;
type Read<T> = (decoder: Decoder) => Promise<T>;

const produced = async () => {
  const request = require(`${protocol}/requests/produce/v3/request.js`) as (of: object) => {
    encode(): Promise<Encoder>;
  };
  const messages = [{ key: 'k', value: 'v', headers: { a: ['1', '2'] }, timestamp: '5' }, { value: null }];
  const partitions = [{ partition: 0, firstSequence: 0, messages }];
  return (await request({ acks: -1, timeout: 1, topicData: [{ topic: 't', partitions }] }).encode()).buffer;
};
const decoderAt = (buffer: Buffer, offset: number) => Object.assign(new Decoder(buffer), { offset });

/** Only kafkajs' own functions for records use these. */
beforeAll(() => {
  const refuse = () => {
    throw new Error('called by kafkajs for its own records');
  };
  Object.assign(Encoder.prototype, { writeVarIntArray: refuse });
  Object.assign(Decoder.prototype, { readVarIntArray: refuse });
});

test('kafkajs writes and reads records with the functions that replace its own', async () => {
  const decodeMessages = require(`${protocol}/requests/fetch/v4/decodeMessages.js`) as Read<DecodedRecord[]>;

  const found = await decodeMessages(decoderAt(await produced(), beforeMessages));

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

test('kafkajs still refuses a batch that is cut off', async () => {
  const readBatch = require(`${protocol}/recordBatch/v0/decoder.js`) as Read<unknown>;
  const cutOff = (await produced()).subarray(0, -1);

  await expect(readBatch(decoderAt(cutOff, beforeBatch))).rejects.toMatchObject({
    name: 'KafkaJSPartialMessageError',
  });
});
