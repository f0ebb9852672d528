import { withPartitions } from '#libs/kafka/admin/with-partitions.ts';

const shaped = (partitions: number) => ({ partitions, retentionSec: 600 });

test('topics have as many partitions as are wanted, never fewer than they had, and a topic of one keeps it', () => {
  const topics = { 'a.v1': shaped(3), 'b.v1': shaped(16), 'dead-letters.v1': shaped(1) };

  expect(withPartitions(topics, 12)).toEqual({ ...topics, 'a.v1': shaped(12) });
  expect(withPartitions(topics, 1)).toEqual(topics);
});
