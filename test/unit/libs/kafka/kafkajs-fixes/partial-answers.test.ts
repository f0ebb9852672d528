import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';
import { sendByPartition } from '#libs/kafka/kafkajs-fixes/partial-answers.ts';
import { metadataOf } from '../../../../support/answering-broker.ts';

const [taken, unknownTopic, notLeader, tooLarge, notEnough, notEnoughAfterAppend, unauthorized] = [
  0, 3, 6, 10, 19, 20, 29,
];
const topicName = 'billing.v1';
const answerOf = (codes: readonly number[]) => {
  const partitions = codes.map((errorCode, partition) => ({ partition, errorCode }));
  return { topics: [{ topicName, partitions }] };
};

const messages = [0, 1].map((partition) => ({ value: null, partition }));
/** One batch by partition, with what kafkajs does to send it. */
const batchOf = (sendBatch: () => Promise<unknown>) =>
  sendByPartition({ sendBatch } as never, [{ topic: topicName, messages }]);
const read = (codes: readonly number[]) => answer.parse(answerOf(codes));
const readAfter = async (earlier: readonly (readonly number[])[], codes: readonly number[]) => {
  const { error, answers } = await batchOf(async () => {
    for (const each of earlier) await expect(read(each)).rejects.toThrow();
    return metadataOf(await read(codes));
  });
  return error ?? [...answers.values()].map(({ errorCode }) => errorCode);
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
    await expect(readAfter([], codes)).resolves.toEqual(codes);
  });

  test.each([
    ['whose leader has moved', [taken, notLeader], 'NOT_LEADER_FOR_PARTITION'],
    ['whose replicas went after it wrote', [taken, notEnoughAfterAppend], 'NOT_ENOUGH_REPLICAS_AFTER_APPEND'],
    ['beside one that is refused for good', [unauthorized, notLeader, taken], 'NOT_LEADER_FOR_PARTITION'],
  ])(
    'with a partition %s is tried again by kafkajs, under the same sequence numbers',
    async (_what, codes, type) => {
      await expect(readAfter([], codes)).resolves.toMatchObject({ type });
    },
  );

  test.each([
    ['which was written by a try before it', [[notEnoughAfterAppend]], [notEnough]],
    ['of which that is two tries ago', [[notEnoughAfterAppend], [notEnough]], [unknownTopic]],
    ['whose acknowledgement was thrown away', [[taken, notLeader]], [notEnough, taken]],
  ])(
    'with too few replicas for a partition %s is tried again by kafkajs too',
    async (_what, earlier, codes) => {
      await expect(readAfter(earlier, codes)).resolves.toBeInstanceOf(Error);
    },
  );

  test.each([
    ['beside which another was written', [[notEnough, notLeader]], [notEnough, taken]],
    ['of a batch before which another was written', [], [notEnough]],
  ])('with too few replicas for a partition %s is read by partition', async (_what, earlier, codes) => {
    await expect(readAfter([[notEnoughAfterAppend]], [taken])).resolves.toEqual([taken]);

    await expect(readAfter(earlier, codes)).resolves.toEqual(codes);
  });

  test.each([
    ['is too large', [tooLarge], 'MESSAGE_TOO_LARGE'],
    ['has too few replicas', [taken, notEnough], 'NOT_ENOUGH_REPLICAS'],
  ])('that %s is thrown to whoever does not send by partition', async (_what, codes, type) => {
    await expect(read(codes)).rejects.toMatchObject({ type });
  });
});
