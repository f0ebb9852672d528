import { randomUUID } from 'node:crypto';
import { withPin } from '#libs/kernel/partition-pins.ts';
import { messagesOf } from '#libs/kafka/bundle.ts';
import { createPartitionLeaders } from '#libs/kafka/producer/partition-leaders.ts';
import { partitionOfKey, placedBy } from '#libs/kafka/producer/partition-of-key.ts';

const topic = 'game-sessions.v1';
const metadata = (count: number) =>
  Array.from({ length: count }, (_, partitionId) => ({
    ...{ partitionId, leader: partitionId, partitionErrorCode: 0, replicas: [1], isr: [1] },
  }));
const pinnedTo = (count: number) => withPin(`gs_${randomUUID()}`, count);
/** A key whose partition among 12 is none of three. */
const beyondThree = (): string => {
  for (;;) {
    const key = pinnedTo(12);
    if (partitionOfKey(key, 12) >= 3) return key;
  }
};

const world = () => {
  let nowMs = 0;
  const leaders = createPartitionLeaders(() => nowMs);
  const choose = leaders.partitioner();
  const send = (partitionMetadata: ReturnType<typeof metadata>, message: object) =>
    choose({ topic, partitionMetadata, message: { value: null, ...message } });
  return { leaders, send, after: (ms: number) => void (nowMs += ms) };
};

test('an event stays in its partition when its topic grows; one whose id tells no count goes where the count of the moment has it', () => {
  const { leaders, send } = world();
  const keys = Array.from({ length: 50 }, () => pinnedTo(3));
  const free = keys.map(() => `gs_${randomUUID()}`);

  send(metadata(12), { key: 'any' });

  expect(keys.map((key) => leaders.partitionOf(topic, placedBy(key)))).toEqual(
    keys.map((key) => partitionOfKey(key, 3)),
  );
  expect(keys.map((key) => send(metadata(12), { key }))).toEqual(keys.map((key) => partitionOfKey(key, 3)));
  expect(free.map((key) => leaders.partitionOf(topic, placedBy(key)))).toEqual(
    free.map((key) => partitionOfKey(key, 12)),
  );
});

test('an event goes to the partition in whose queue it waits, though its topic has grown since', () => {
  const { leaders, send } = world();
  const keys = Array.from({ length: 50 }, () => `gs_${randomUUID()}`);
  send(metadata(3), { key: 'any' });
  const queued = keys.map((key) => {
    const placed = { ...placedBy(key), queuedIn: leaders.partitionOf(topic, placedBy(key)) };
    return { topic, key, ...placed, value: '{}', headers: {} };
  });
  const amongThree = keys.map((key) => partitionOfKey(key, 3));
  const alone = [...messagesOf(queued, () => undefined).keys()];

  expect(alone.map((message) => send(metadata(12), message))).toEqual(amongThree);
  expect(queued.map((placed) => leaders.partitionOf(topic, placed))).toEqual(amongThree);
});

test('a partition in whose queue an event waits is only taken for lost by metadata that is certainly newer', () => {
  const { send, after } = world();
  const message = { key: 'a', ...placedBy('a'), queuedIn: 7 };
  const old = metadata(3);

  expect(() => send(old, { ...message })).toThrow(/has no partition 7 yet/);
  after(13_000);
  expect(() => send(old, { ...message })).toThrow(/has no partition 7 yet/);
  expect(send(metadata(3), { ...message })).toBe(partitionOfKey('a', 3));
});

test('an id beside the key tells the count where the contract says so', () => {
  const { leaders, send } = world();
  const [key, pinnedBy] = ['pc_1', withPin(randomUUID(), 3)];

  expect(send(metadata(12), { key, ...placedBy(key, pinnedBy) })).toBe(partitionOfKey(key, 3));
  expect(leaders.partitionOf(topic, placedBy(key, pinnedBy))).toBe(partitionOfKey(key, 3));
  expect(leaders.partitionOf(topic, placedBy(key))).toBe(partitionOfKey(key, 12));
});

test('who has old metadata does not send an event among partitions that he does not know, until they are there', () => {
  const { leaders, send, after } = world();
  const key = beyondThree();
  const old = metadata(3);
  send(old, { key: 'any' });

  expect(() => send(old, { key })).toThrow(/has no partition \d+ yet/);
  after(10_000);
  expect(() => send(metadata(3), { key })).toThrow(/has no partition \d+ yet/);
  expect(send(metadata(12), { key })).toBe(partitionOfKey(key, 12));
  expect(leaders.partitionOf(topic, placedBy(key))).toBe(partitionOfKey(key, 12));
});

test('however long ago it was asked where an event goes, metadata from before that does not decide', () => {
  const { leaders, send, after } = world();
  const key = beyondThree();
  const old = metadata(3);
  send(old, { key: 'any' });
  expect(leaders.partitionOf(topic, placedBy(key))).toBe(partitionOfKey(key, 12));
  after(60_000);

  expect(leaders.partitionOf(topic, placedBy(key))).toBe(partitionOfKey(key, 12));
  expect(() => send(old, { key })).toThrow(/has no partition/);
});

test('a topic that lacks them for longer than metadata can be old takes events, and bundles, among those that it has', () => {
  const { leaders, send, after } = world();
  const key = beyondThree();
  send(metadata(3), { key: 'any' });
  const partition = leaders.partitionOf(topic, placedBy(key));
  expect(() => send(metadata(3), { key: null, partition })).toThrow(/has no partition/);
  after(13_000);

  expect(send(metadata(3), { key })).toBe(partitionOfKey(key, 3));
  expect(leaders.partitionOf(topic, placedBy(key))).toBe(partitionOfKey(key, 3));
});

test('what one id told of a topic that has fewer decides nothing for another', () => {
  const { send, after } = world();
  const [wrong, key] = [pinnedTo(4_000), beyondThree()];
  send(metadata(3), { key: 'any' });
  expect(() => send(metadata(3), { key: wrong })).toThrow(/has no partition/);
  after(13_000);
  send(metadata(3), { key: wrong });

  expect(() => send(metadata(3), { key })).toThrow(/has no partition/);
  expect(send(metadata(12), { key })).toBe(partitionOfKey(key, 12));
});

test('a message stays in its partition over retries', () => {
  const { send } = world();
  const message = { value: null, key: `gs_${randomUUID()}` };
  const leaders = createPartitionLeaders().partitioner();
  const first = leaders({ topic, partitionMetadata: metadata(3), message });

  expect(leaders({ topic, partitionMetadata: metadata(12), message })).toBe(first);
  expect(send(metadata(1), { key: 'any' })).toBe(0);
});
