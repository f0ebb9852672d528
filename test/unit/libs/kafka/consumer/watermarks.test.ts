import { createWatermarks } from '#libs/kafka/consumer/watermarks.ts';
import type { Watermarks } from '#libs/kafka/consumer/watermarks.ts';

const topic = 't';
const mark = (offset: number, partition = 0) => ({ topic, partition, offset: String(offset) });
const take = (watermarks: Watermarks, ...offsets: number[]) =>
  offsets.map((offset) => watermarks.take(topic, 0, String(offset)));

test('only what lies below everything in hand may be committed', () => {
  const watermarks = createWatermarks();
  const [first, second, third] = take(watermarks, 10, 11, 12);

  third?.done();
  second?.done();
  expect(watermarks.uncommitted()).toEqual([mark(10)]);
  first?.done();
  expect(watermarks.uncommitted()).toEqual([mark(13)]);
});

test('a message that is passed over counts as done', () => {
  const watermarks = createWatermarks();
  const [first] = take(watermarks, 10);
  watermarks.pass(topic, 0, '11');

  first?.done();

  expect(watermarks.uncommitted()).toEqual([mark(12)]);
});

test('what was committed is not committed again', () => {
  const watermarks = createWatermarks();
  watermarks.pass(topic, 0, '10');

  watermarks.committed(watermarks.uncommitted());

  expect(watermarks.uncommitted()).toEqual([]);
});

test('a partition that another consumer got is not committed any more, and its messages are known to be revoked', () => {
  const watermarks = createWatermarks();
  const [mine] = take(watermarks, 10);
  const lost = watermarks.take(topic, 1, '20');

  watermarks.assign({ [topic]: [0] });
  lost.done();
  mine?.done();

  expect([mine?.revoked, lost.revoked]).toEqual([false, true]);
  expect(watermarks.uncommitted()).toEqual([]);
});

test('what was in hand before a rebalance holds the watermark, also when the same messages are fetched again', () => {
  const watermarks = createWatermarks();
  const [first] = take(watermarks, 10);
  watermarks.assign({ [topic]: [0] });
  const [again, next] = take(watermarks, 10, 11);

  again?.done();
  next?.done();
  expect(watermarks.uncommitted()).toEqual([mark(10)]);
  first?.done();
  expect(watermarks.uncommitted()).toEqual([mark(12)]);
});
