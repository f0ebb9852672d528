import type { TopicMessages } from 'kafkajs';
import { sendByPartition } from '#libs/kafka/kafkajs-fixes/partial-answers.ts';
import { brokerWith, metadataOf } from '../../../../support/answering-broker.ts';

const [taken, unknownTopic, notLeader, notEnough] = [0, 3, 6, 19];
const topic = 'billing.v1';
const messages = [0, 1].map((partition) => ({ value: null, partition }));
const both = [0, 1];

/** A batch for two partitions, with what kafkajs does to send it. */
const batchOf = (sendBatch: () => Promise<unknown>) =>
  sendByPartition({ sendBatch } as never, [{ topic, messages }]);
const fails = async (attempt: Promise<unknown>): Promise<void> => {
  await expect(attempt).rejects.toThrow();
};

test('a batch that every broker took at once leaves its producer as it is', async () => {
  const { sent, produce } = brokerWith([taken, taken]);

  const { isMiscounted, error } = await batchOf(async () => metadataOf(await produce(topic, both, 7)));

  expect(sent).toEqual([
    [0, 7],
    [1, 7],
  ]);
  expect([isMiscounted, error]).toEqual([false, undefined]);
});

test('what is sent again keeps its first sequence number, whichever broker it goes to, and is counted once', async () => {
  const [silent, next] = [brokerWith(undefined), brokerWith([taken, taken])];

  const { isMiscounted, error } = await batchOf(async () => {
    await fails(silent.produce(topic, both, 7));
    return metadataOf(await next.produce(topic, both, 9));
  });

  expect(next.sent).toEqual([
    [0, 7],
    [1, 7],
  ]);
  expect([isMiscounted, error]).toEqual([false, undefined]);
});

test('an answer that was thrown away counts for what it took: that is not sent again, and not by another producer', async () => {
  const { sent, produce } = brokerWith([taken, notLeader], [notLeader]);

  const { error, answers, isMiscounted } = await batchOf(async () => {
    await fails(produce(topic, both));
    return produce(topic, both);
  });

  expect(sent.map(([partition]) => partition)).toEqual([0, 1, 1]);
  expect(error).toMatchObject({ type: 'NOT_LEADER_FOR_PARTITION' });
  expect([...answers.keys()]).toEqual([`${topic}#0`]);
  expect(isMiscounted).toBe(true);
});

test('what all of a request has taken is not sent again, and kafkajs has counted it once too often', async () => {
  const { sent, produce } = brokerWith([taken, taken]);

  const { isMiscounted } = await batchOf(async () => {
    const first = metadataOf(await produce(topic, both));
    await expect(produce(topic, both)).resolves.toEqual({ topics: [] });
    return first;
  });

  expect(sent).toHaveLength(2);
  expect(isMiscounted).toBe(true);
});

test('what a request in flight may take back is not counted yet', async () => {
  const answer = Promise.withResolvers<undefined>();
  const [refused, silent, next] = [
    brokerWith([taken, notLeader]),
    brokerWith(answer.promise),
    brokerWith([taken]),
  ];
  let open = Promise.resolve();

  const { isMiscounted, error } = await batchOf(async () => {
    open = fails(silent.produce(topic, [0]));
    await fails(refused.produce(topic, both));
    return metadataOf(await next.produce(topic, [1]));
  });
  answer.resolve(undefined);
  await open;

  expect([isMiscounted, error]).toEqual([true, undefined]);
});

test('a lost answer may follow a write; one that was thrown away does only where it does not say otherwise', async () => {
  const tryTwice = ({ produce }: ReturnType<typeof brokerWith>) =>
    batchOf(async () => {
      await fails(produce(topic, both));
      return metadataOf(await produce(topic, both));
    });

  const lost = await tryTwice(brokerWith(undefined, [notEnough, taken]));
  const refused = await tryTwice(brokerWith([notEnough, notLeader], [notEnough, taken]));

  expect(lost.error).toMatchObject({ type: 'NOT_ENOUGH_REPLICAS' });
  expect(refused.error).toBeUndefined();
});

test('what one broker has not answered yet may be written, though another refuses it', async () => {
  const answer = Promise.withResolvers<undefined>();
  const [slow, next] = [brokerWith(answer.promise), brokerWith([unknownTopic])];

  const { error } = await batchOf(async () => {
    const first = slow.produce(topic, [1]);
    const second = next.produce(topic, [1]);
    await fails(second);
    answer.resolve(undefined);
    await fails(first);
    return second;
  });

  expect(error).toMatchObject({ type: 'UNKNOWN_TOPIC_OR_PARTITION' });
});

test('what has waited for its turn is not sent when the batch is over', async () => {
  const { sent, produce } = brokerWith([taken, taken]);
  const itsTurn = Promise.withResolvers<undefined>();
  let late = Promise.resolve();

  await batchOf(async () => {
    late = itsTurn.promise.then(() => fails(produce(topic, both)));
    throw new Error('refused for good');
  });
  itsTurn.resolve(undefined);
  await late;

  expect(sent).toEqual([]);
});

test('partitions that kafkajs has lost between two tries are asked for by the same producer', async () => {
  const asked: (number | undefined)[][] = [];
  const sendBatch = async ({ topicMessages }: { topicMessages: TopicMessages[] }) => {
    const partitions = topicMessages.flatMap((each) => each.messages.map(({ partition }) => partition));
    asked.push(partitions);
    const answered = asked.length === 1 ? [] : partitions.slice(0, 1);
    return answered.map((partition) => ({ topicName: topic, partition, errorCode: taken }));
  };

  const { answers } = await sendByPartition({ sendBatch } as never, [{ topic, messages }]);

  expect(asked).toEqual([[0, 1], [0, 1], [1]]);
  expect(answers.size).toBe(2);
});

test('a refusal from before a request that may have written says nothing: the same producer asks again, under the same number', async () => {
  const [before, silent, next] = [brokerWith([notEnough]), brokerWith(undefined), brokerWith([taken])];
  let rounds = 0;
  const sendBatch = async () => {
    rounds += 1;
    if (rounds > 1) return metadataOf(await next.produce(topic, [1], 8));
    const refused = metadataOf(await before.produce(topic, [1], 7));
    await fails(silent.produce(topic, [1], 7));
    return refused;
  };

  const { answers } = await sendByPartition({ sendBatch } as never, [{ topic, messages: messages.slice(1) }]);

  expect([...answers.values()].map(({ errorCode }) => errorCode)).toEqual([taken]);
  expect(next.sent).toEqual([[1, 7]]);
});
