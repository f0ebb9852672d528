import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import '#libs/kafka/kafkajs-fixes/lost-topics.ts';

test('what comes of a topic that a member has lost whole is left to its new owner, and ends nothing', () => {
  const group = new ConsumerGroup({ logger: { namespace: () => ({}) } });
  const resolved: unknown[] = [];
  const resolveOffset = (position: unknown) => void resolved.push(position);
  Object.assign(group, { offsetManager: { resolvedOffsets: { 'billing.v1': {} }, resolveOffset } });
  const [kept, lost] = ['billing.v1', 'ott-claims.v1'].map((topic) => ({ topic, partition: 0, offset: '7' }));

  group.resolveOffset(lost!);
  group.resolveOffset(kept!);

  expect(resolved).toEqual([kept]);
});
