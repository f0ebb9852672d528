import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';
import { throwIfRefused } from '#libs/kafka/kafkajs-fixes/partial-answers.ts';

const [taken, unknownTopic, notLeader, tooLarge, notEnough, notEnoughAfterAppend, unauthorized] = [
  0, 3, 6, 10, 19, 20, 29,
];
const answerOf = (codes: readonly number[]) => {
  const partitions = codes.map((errorCode, partition) => ({ partition, errorCode }));
  return { topics: [{ topicName: 'billing.v1', partitions }] };
};

describe('an answer of a broker', () => {
  test.each([
    ['has taken all', [taken, taken]],
    ['refuses some for good', [taken, unauthorized, tooLarge]],
    ['refuses all for good, since another broker may have taken the rest', [tooLarge]],
    ['has too few replicas for some, which it has not written', [taken, notEnough]],
    ['has too few replicas for any', [notEnough]],
    ['does not know a topic', [unknownTopic, taken]],
  ])('that %s is read by partition', async (_what, codes) => {
    const data = answerOf(codes);

    await expect(answer.parse(data)).resolves.toBe(data);
  });

  test.each([
    ['whose leader has moved', [taken, notLeader], 'NOT_LEADER_FOR_PARTITION'],
    ['whose replicas went after it wrote', [taken, notEnoughAfterAppend], 'NOT_ENOUGH_REPLICAS_AFTER_APPEND'],
    ['beside one that is refused for good', [unauthorized, notLeader, taken], 'NOT_LEADER_FOR_PARTITION'],
  ])(
    'with a partition %s is tried again by kafkajs, under the same sequence numbers',
    async (_what, codes, type) => {
      await expect(answer.parse(answerOf(codes))).rejects.toMatchObject({ type });
    },
  );

  test('is told in full to who sends once', () => {
    const answers = [taken, tooLarge].map((errorCode) => ({
      topicName: 'billing.v1',
      partition: 0,
      errorCode,
    }));

    expect(() => throwIfRefused(answers)).toThrow('larger than the max message size');
  });
});
