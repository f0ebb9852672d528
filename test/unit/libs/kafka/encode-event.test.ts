import { randomUUID } from 'node:crypto';
import { messagesOf } from '#libs/kafka/bundle.ts';
import { bytesOf, encodeEvent } from '#libs/kafka/encode-event.ts';
import { createPartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import { partitionOfKey } from '#libs/kafka/producer/partition-of-key.ts';
import { withPin } from '#libs/kernel/partition-pins.ts';

const origin = { source: '/gsb/ott', nowMs: 0 };
const topic = 'ott-refusals.v1';
const refusal = () =>
  encodeEvent(
    'ott.refused',
    { data: { presentationId: withPin(randomUUID(), 3), tokenHash: randomUUID(), reason: 'OTT_EXPIRED' } },
    origin,
  );
const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({
  ...{ partitionId, leader: partitionId, partitionErrorCode: 0, replicas: [1], isr: [1] },
}));

test('an event is placed by the id that its contract names, when its partition is asked for and when it is sent (D-63)', () => {
  const leaders = createPartitionLeaders();
  const choose = leaders.partitioner();
  const refusals = Array.from({ length: 30 }, refusal);
  const amongThree = refusals.map(({ key }) => partitionOfKey(key, 3));

  const sent = [...messagesOf(refusals, () => undefined).keys()].map((message) =>
    choose({ topic, partitionMetadata, message }),
  );

  expect(sent).toEqual(amongThree);
  expect(refusals.map((event) => leaders.partitionOf(topic, event))).toEqual(amongThree);
});

test('the size of an event is that of its key, its value in UTF-8, and the names and values of its headers', () => {
  const event = { ...refusal(), key: 'key', value: '"é"', headers: { a: '12', name: 'text' } };

  expect(bytesOf(event)).toBe('key'.length + 4 + 'a12nametext'.length);
});
