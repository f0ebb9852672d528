import { createProducerBuffer } from '#libs/kafka/producer/producer-buffer.ts';
import { placedBy } from '#libs/kafka/producer/partition-of-key.ts';

const record = { topic: 't', key: 'a', ...placedBy('a'), value: '{}', headers: {} };
const leaders = { partitionOf: () => 0, leaderOf: () => 1 };

test.each([
  ['the log has its record', () => Promise.resolve(), 60_000, 'fulfilled'],
  [
    'its record was not sent',
    () => Promise.reject(new Error('the producer was disconnected')),
    60_000,
    'rejected',
  ],
  ['its deadline has passed', () => new Promise<void>(() => undefined), 10, 'rejected'],
] as const)('of a publisher nothing is left when %s', async (_when, send, deadlineMs, status) => {
  const sizes: number[] = [];
  const onSize = (size: number) => void sizes.push(size);
  const buffer = createProducerBuffer({ send, leaders, onSize, clock: () => 0 });

  const [outcome] = await Promise.allSettled([buffer.append([record], { deadlineMs })]);

  expect(outcome.status).toBe(status);
  expect(sizes).toEqual([1, 0]);
  expect(buffer.oldestMs()).toBe(0);
});

test('a publisher without records does not wait', async () => {
  const send = () => Promise.reject(new Error('there is nothing to send'));
  const buffer = createProducerBuffer({ send, leaders, onSize: () => undefined, clock: () => 0 });

  await expect(buffer.append([], { deadlineMs: 60_000 })).resolves.toBeUndefined();
});

test('of a record that brings many events each counts', async () => {
  const many = { ...record, key: null, value: Buffer.from('[]'), events: 6_000 };
  const [sizes, requests]: [number[], number[]] = [[], []];
  const buffer = createProducerBuffer({
    send: () => Promise.resolve(),
    leaders,
    onSize: (size) => void sizes.push(size),
    onRequest: (events) => void requests.push(events),
    clock: () => 0,
  });

  const first = buffer.append([many], { deadlineMs: 60_000 });
  const refused = expect(buffer.append([many], { deadlineMs: 60_000 })).rejects.toThrow();

  await Promise.all([first, refused]);
  expect({ sizes, requests }).toEqual({ sizes: [6_000, 0], requests: [6_000] });
});
