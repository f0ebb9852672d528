import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { partitionOfKey } from '#libs/kafka/producer/partition-of-key.ts';

const metadata = (count: number) =>
  Array.from({ length: count }, (_, partitionId) => ({
    ...{ partitionId, leader: 1, partitionErrorCode: 0, replicas: [1], isr: [1] },
  }));

test('a key is in the partition in which kafkajs, and so every other client, looks for it', () => {
  const theirs = Partitioners.DefaultPartitioner();
  const keys = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.uint8Array({ maxLength: 60 }));
  const property = fc.property(keys, fc.integer({ min: 1, max: 64 }), (found, count) => {
    const key = typeof found === 'string' ? found : Buffer.from(found);
    const message = { key, value: null };
    expect(partitionOfKey(key, count)).toBe(
      theirs({ topic: 't', partitionMetadata: metadata(count), message }),
    );
  });
  fc.assert(property, { numRuns: 5_000 });
});
