import fc from 'fast-check';
import { jest } from '@jest/globals';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import makeByKafkajs from 'kafkajs/src/protocol/requests/produce/v3/request.js';
import type { ProduceOptions } from 'kafkajs/src/protocol/requests/produce/v3/request.js';
import Long from 'kafkajs/src/utils/long.js';
import { encodeProduce, inOneBuffer } from '#libs/kafka/kafkajs-fixes/produce-codec.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a'.repeat(70_000), '한'.repeat(9_000)));
const content = fc.option(
  fc.oneof(
    text,
    fc.uint8Array().map((of) => Buffer.from(of)),
  ),
  { nil: null },
);
const messages = fc.array(
  fc.record(
    {
      key: content,
      value: content,
      headers: fc.dictionary(fc.string(), fc.string()),
      timestamp: fc.oneof(fc.nat(), fc.nat().map(String), fc.constantFrom(null, 0)),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 8 },
);
const int32 = fc.integer();
const int16 = fc.integer({ min: -32_768, max: 32_767 });
const partitions = fc.array(
  fc.record(
    { partition: int32, firstSequence: int32, messages },
    { requiredKeys: ['partition', 'messages'] },
  ),
  { maxLength: 4 },
);
const producerId = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.maxSafeInteger().map((value) => Long.fromValue(value)),
);
const requests: fc.Arbitrary<ProduceOptions> = fc.record(
  {
    acks: int16,
    timeout: int32,
    transactionalId: fc.option(fc.string({ unit: 'binary' }), { nil: null }),
    producerId,
    producerEpoch: int16,
    topicData: fc.array(fc.record({ topic: fc.string({ unit: 'binary' }), partitions }), { maxLength: 3 }),
  },
  { requiredKeys: ['acks', 'timeout', 'topicData'] },
);

afterEach(() => void jest.restoreAllMocks());

test('a request to produce is written byte for byte as kafkajs writes it', async () => {
  const seed = Date.now();
  console.log(`seed ${seed}`);
  jest.spyOn(Date, 'now').mockReturnValue(1_764_500_000_000);
  const property = fc.asyncProperty(requests, async (request) => {
    const theirs = await makeByKafkajs(request).encode();

    const ours = encodeProduce(request);

    expect(ours.buffer.equals(theirs.buffer)).toBe(true);
    expect(ours).toBeInstanceOf(Encoder);
  });
  await fc.assert(property, { numRuns: 300, seed });
});

test('a request whose batches are to be compressed is left to kafkajs', async () => {
  const request = { acks: -1, timeout: 1, topicData: [] };
  const encode = async () => new Encoder(0);

  expect(inOneBuffer(() => ({ encode }))({ ...request, compression: 1 }).encode).toBe(encode);
  expect(inOneBuffer(() => ({ encode }))(request).encode).not.toBe(encode);
});
