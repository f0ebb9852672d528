import { createWatermarks } from '#libs/kafka/consumer/watermarks.ts';
import type { FetchedMessage } from '#libs/kafka/fetched-message.ts';
import type { Watermarks } from '#libs/kafka/consumer/watermarks.ts';

const topic = 't';
const mark = (offset: number, partition = 0) => ({ topic, partition, offset: String(offset) });
const fetched = (offset: number, partition = 0): FetchedMessage => ({
  topic,
  partition,
  message: { offset: String(offset) } as FetchedMessage['message'],
});
const begin = (watermarks: Watermarks, ...offsets: number[]) =>
  offsets.map((offset) => watermarks.begin(fetched(offset), 1));

test('only offsets below every message in flight may be committed', () => {
  const watermarks = createWatermarks();
  const [first, second, third] = begin(watermarks, 10, 11, 12);

  third?.partDone();
  second?.partDone();
  expect(watermarks.uncommitted()).toEqual([mark(10)]);
  first?.partDone();
  expect(watermarks.uncommitted()).toEqual([mark(13)]);
});

test('a message that is handled in parts is done when all of them are', () => {
  const watermarks = createWatermarks();
  const message = watermarks.begin(fetched(10), 2);

  message.partDone();
  expect(watermarks.uncommitted()).toEqual([mark(10)]);
  message.partDone();
  expect(watermarks.uncommitted()).toEqual([mark(11)]);
});

test('a message that is skipped counts as done', () => {
  const watermarks = createWatermarks();
  const [first] = begin(watermarks, 10);
  watermarks.skip(fetched(11));

  first?.partDone();

  expect(watermarks.uncommitted()).toEqual([mark(12)]);
});

test('what was committed is not committed again', () => {
  const watermarks = createWatermarks();
  watermarks.skip(fetched(10));

  watermarks.committed(watermarks.uncommitted());

  expect(watermarks.uncommitted()).toEqual([]);
});

test('a partition that another consumer got is not committed any more, and its messages are known to be revoked', () => {
  const watermarks = createWatermarks();
  const [mine] = begin(watermarks, 10);
  const lost = watermarks.begin(fetched(20, 1), 1);

  watermarks.assign({ [topic]: [0] });
  lost.partDone();
  mine?.partDone();

  expect([mine?.revoked, lost.revoked]).toEqual([false, true]);
  expect(watermarks.uncommitted()).toEqual([]);
});

test('a message in flight before a rebalance holds the watermark, also when it is fetched again', () => {
  const watermarks = createWatermarks();
  const [first] = begin(watermarks, 10);
  watermarks.assign({ [topic]: [0] });
  const [again, next] = begin(watermarks, 10, 11);

  again?.partDone();
  next?.partDone();
  expect(watermarks.uncommitted()).toEqual([mark(10)]);
  first?.partDone();
  expect(watermarks.uncommitted()).toEqual([mark(12)]);
});

test('a partition is assigned from the assignment that names it until the one that does not', () => {
  const watermarks = createWatermarks();

  watermarks.assign({ [topic]: [0, 1] });
  watermarks.assign({ [topic]: [0] });

  expect([0, 1].map((partition) => watermarks.isAssigned({ topic, partition }))).toEqual([true, false]);
});
