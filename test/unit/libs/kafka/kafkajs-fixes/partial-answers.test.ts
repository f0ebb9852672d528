import type { TopicMessages } from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';
import type { ProduceRequest } from 'kafkajs/src/broker/index.js';
import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';
import { sendByPartition } from '#libs/kafka/kafkajs-fixes/partial-answers.ts';

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
/** As kafkajs hands an answer on. */
const metadataOf = (data: unknown) =>
  (data as ReturnType<typeof answerOf>).topics.flatMap(({ partitions }) =>
    partitions.map((each) => ({ topicName, ...each })),
  );
const readAfter = async (earlier: readonly (readonly number[])[], codes: readonly number[]) => {
  const { error, answers } = await batchOf(async () => {
    for (const each of earlier) await expect(read(each)).rejects.toThrow();
    return metadataOf(await read(codes));
  });
  return error ?? [...answers.values()].map(({ errorCode }) => errorCode);
};

/** A broker that gives these answers in turn (undefined: none), and what it was sent. */
const brokerWith = (...answers: (readonly number[] | undefined)[]) => {
  const sent: number[][] = [];
  const broker: Broker = Object.create(Broker.prototype);
  const lookupRequest =
    () =>
    ({ topicData }: ProduceRequest) =>
      topicData;
  const send = async (topicData: ProduceRequest['topicData']) => {
    const codes = answers[sent.length];
    sent.push(topicData.flatMap(({ partitions }) => partitions.map(({ partition }) => partition)));
    if (codes === undefined) throw new Error('the connection was lost');
    return read(codes);
  };
  Object.assign(broker, { lookupRequest, connectionPool: { send } });
  const topicData = [{ topic: topicName, partitions: messages }];
  return { sent, produce: () => broker.produce({ topicData }) };
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

  test('that was lost may follow a write, one that was thrown away only where it does not say otherwise', async () => {
    const { produce } = brokerWith(undefined, [notEnough, taken]);
    const other = brokerWith([notEnough, notLeader], [notEnough, taken]);
    const twice = (tries: () => Promise<unknown>) => async () => {
      await expect(tries()).rejects.toThrow();
      return metadataOf(await tries());
    };

    const lost = await batchOf(twice(produce));
    const refused = await batchOf(twice(other.produce));

    expect(lost.error).toMatchObject({ type: 'NOT_ENOUGH_REPLICAS' });
    expect(refused.error).toBeUndefined();
  });

  test('that was thrown away counts for what it took: that is not sent again, and not by another producer', async () => {
    const { sent, produce } = brokerWith([taken, notLeader], [notLeader]);

    const { error, answers } = await batchOf(async () => {
      await expect(produce()).rejects.toThrow();
      return produce();
    });

    expect(sent).toEqual([[0, 1], [1]]);
    expect(error).toMatchObject({ type: 'NOT_LEADER_FOR_PARTITION' });
    expect([...answers.keys()]).toEqual([`${topicName}#0`]);
  });

  test('whose partition kafkajs has lost between two tries is asked for by the same producer', async () => {
    const asked: (number | undefined)[][] = [];
    const sendBatch = async ({ topicMessages }: { topicMessages: TopicMessages[] }) => {
      const partitions = topicMessages.flatMap((each) => each.messages.map(({ partition }) => partition));
      asked.push(partitions);
      return partitions.slice(0, 1).map((partition) => ({ topicName, partition, errorCode: taken }));
    };

    const { answers } = await sendByPartition({ sendBatch } as never, [{ topic: topicName, messages }]);

    expect(asked).toEqual([[0, 1], [1]]);
    expect(answers.size).toBe(2);
  });

  test.each([
    ['is too large', [tooLarge], 'MESSAGE_TOO_LARGE'],
    ['has too few replicas', [taken, notEnough], 'NOT_ENOUGH_REPLICAS'],
  ])('that %s is thrown to whoever does not send by partition', async (_what, codes, type) => {
    await expect(read(codes)).rejects.toMatchObject({ type });
  });
});
