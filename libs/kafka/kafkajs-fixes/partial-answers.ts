import { AsyncLocalStorage } from 'node:async_hooks';
import type { Producer, RecordMetadata, TopicMessages } from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';
import type { ProduceRequest } from 'kafkajs/src/broker/index.js';
import errors from 'kafkajs/src/protocol/error.js';
import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';
import { partitionName } from '../fetched-message.ts';

/** UNKNOWN_TOPIC_OR_PARTITION and NOT_ENOUGH_REPLICAS: what may pass when it is tried again, and was not written by the try that it answers. */
const notWritten: ReadonlySet<number> = new Set([3, 19]);

/** What a partition says of the records that were sent to it. */
export type PartitionAnswer = Pick<RecordMetadata, 'topicName' | 'partition' | 'errorCode'>;
/** By the name of the partition. */
type Answers = Map<string, PartitionAnswer>;

/** What is known of the partitions of a batch while kafkajs tries to send it. */
interface Tries {
  /** Of those that took their records, though the broker's whole answer may have been thrown away. */
  readonly taken: Answers;
  /** Those into which a try may have written whose answer was lost or thrown away. */
  readonly mayBeWritten: Set<string>;
}

const triesOfBatch = new AsyncLocalStorage<Tries>();

/** Whether a partition took what was sent to it; otherwise `refusalOf` says why not. */
export const isTaken = ({ errorCode }: Pick<PartitionAnswer, 'errorCode'>): boolean => errorCode === 0;

/** The broker's reason for a code other than 0; its `type` is the protocol's name of it. */
export const refusalOf = ({ errorCode }: Pick<PartitionAnswer, 'errorCode'>) =>
  errors.createErrorFromCode(errorCode);

const nameOf = ({ topicName: topic, partition }: PartitionAnswer): string =>
  partitionName({ topic, partition });

/** What came of a batch: what its partitions have said, and the error where it has failed. */
export interface BatchAnswer {
  readonly answers: ReadonlyMap<string, PartitionAnswer>;
  readonly error?: unknown;
}

/** The messages for partitions that have said nothing. */
const unanswered = (batch: readonly TopicMessages[], answers: Answers): TopicMessages[] =>
  batch.flatMap(({ topic, messages }) => {
    const left = messages.filter(
      ({ partition }) => partition === undefined || !answers.has(partitionName({ topic, partition })),
    );
    return left.length === 0 ? [] : [{ topic, messages: left }];
  });

const countOf = (batch: readonly TopicMessages[]): number =>
  batch.reduce((sum, { messages }) => sum + messages.length, 0);

/**
 * Sends a batch, and tells what each of its partitions says, though it refuses. kafkajs 2.2.4 resolves without a partition that moves, between
 * two tries, to a broker that has answered already (its issue 1303): that is sent again by the same producer, under the numbers that it had.
 */
export const sendByPartition = (producer: Producer, batch: TopicMessages[]): Promise<BatchAnswer> => {
  const tries: Tries = { taken: new Map(), mayBeWritten: new Set() };
  const answers: Answers = new Map();
  const send = async (topicMessages: TopicMessages[]): Promise<void> => {
    for (const each of await producer.sendBatch({ topicMessages })) answers.set(nameOf(each), each);
    for (const [name, each] of tries.taken) answers.set(name, each);
    const left = unanswered(topicMessages, answers);
    if (left.length > 0 && countOf(left) < countOf(topicMessages)) await send(left);
  };
  return triesOfBatch.run(tries, () =>
    send(batch).then(
      () => ({ answers }),
      (error: unknown) => ({ answers: new Map([...answers, ...tries.taken]), error }),
    ),
  );
};

/** Whether kafkajs must try again what a partition refuses: for whoever sends by partition, where records may have been written. */
const isThrown = (each: PartitionAnswer, tries: Tries | undefined): boolean => {
  if (isTaken(each)) return false;
  if (!tries) return true;
  return notWritten.has(each.errorCode) ? tries.mayBeWritten.has(nameOf(each)) : refusalOf(each).retriable;
};

/**
 * kafkajs 2.2.4 throws a broker's whole answer away when one of its partitions refuses, and tries again, or gives up, what the others have
 * taken. For `sendByPartition` the answer says what became of each partition. Where records may have been written that are to be tried
 * again, by this try or an earlier one, it is thrown as for everybody else: kafkajs sends them again under the same sequence numbers, which
 * the broker knows.
 */
answer.parse = async (data) => {
  const tries = triesOfBatch.getStore();
  const all = data.topics.flatMap(({ topicName, partitions }) =>
    partitions.map(({ partition, errorCode }) => ({ topicName, partition, errorCode })),
  );
  for (const each of all) if (isTaken(each)) tries?.taken.set(nameOf(each), each);
  const thrown = all.find((each) => isThrown(each, tries));
  if (!thrown) return data;
  for (const each of all) if (!notWritten.has(each.errorCode)) tries?.mayBeWritten.add(nameOf(each));
  throw refusalOf(thrown);
};

const withoutTaken = ({ topicData, ...request }: ProduceRequest, { taken }: Tries): ProduceRequest => ({
  ...request,
  topicData: topicData.flatMap(({ topic, partitions }) => {
    const left = partitions.filter(({ partition }) => !taken.has(partitionName({ topic, partition })));
    return left.length === 0 ? [] : [{ topic, partitions: left }];
  }),
});

const noteLost = ({ topicData }: ProduceRequest, { mayBeWritten }: Tries): void => {
  for (const { topic, partitions } of topicData)
    for (const { partition } of partitions) mayBeWritten.add(partitionName({ topic, partition }));
};

const { produce } = Broker.prototype;

/**
 * kafkajs 2.2.4 sends a batch for two brokers once more to the one that has not answered yet when the other fails, and then under other numbers.
 * Here what a partition has taken of a batch is not sent to it again.
 */
Broker.prototype.produce = async function (this: Broker, request): Promise<unknown> {
  const tries = triesOfBatch.getStore();
  if (!tries) return produce.call(this, request);
  const left = tries.taken.size === 0 ? request : withoutTaken(request, tries);
  if (left.topicData.length === 0) return { topics: [] };
  try {
    return await produce.call(this, left);
  } catch (error) {
    const isAnswered = error instanceof Error && error.name === 'KafkaJSProtocolError';
    if (!isAnswered) noteLost(left, tries);
    throw error;
  }
};
