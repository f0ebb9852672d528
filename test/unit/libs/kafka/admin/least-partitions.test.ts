import { createSettledCount } from '#libs/kafka/admin/least-partitions.ts';

test('a count is known at once, and one that is larger when it has been seen for a while', () => {
  const settled = createSettledCount(20);
  const counts = [
    [3, 0],
    [12, 5],
    [12, 24],
    [12, 25],
    [96, 30],
    [48, 40],
    [48, 59],
    [3, 70],
    [48, 80],
    [48, 100],
  ].map(([seen = 0, nowMs = 0]) => {
    settled.note(seen, nowMs);
    return settled.count();
  });

  expect(counts).toEqual([3, 3, 3, 12, 12, 12, 12, 12, 12, 48]);
  expect(createSettledCount(20).count()).toBeUndefined();
});
