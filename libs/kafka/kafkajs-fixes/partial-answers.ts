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
type Counts = Map<string, number>;

/** What is known of the partitions of a batch while kafkajs tries to send it. */
interface Tries {
  /** Of those that took their records, though the broker's whole answer may have been thrown away. */
  readonly taken: Answers;
  /** Those into which a try may have written whose answer is not known, was lost or was thrown away. */
  readonly mayBeWritten: Set<string>;
  /** How many requests in flight carry each. They may still fail, which takes back what was counted for them. */
  readonly inFlight: Counts;
  /** The sequence number under which the records of each were sent first. */
  readonly numbers: Map<string, number>;
  /** How often kafkajs has counted the records of each: once more with every request, and once less where that failed. */
  readonly counts: Counts;
  isOver: boolean;
}

const triesOfBatch = new AsyncLocalStorage<Tries>();

/** Whether a partition took what was sent to it; otherwise `refusalOf` says why not. */
export const isTaken = ({ errorCode }: Pick<PartitionAnswer, 'errorCode'>): boolean => errorCode === 0;

/** The broker's reason for a code other than 0; its `type` is the protocol's name of it. */
export const refusalOf = ({ errorCode }: Pick<PartitionAnswer, 'errorCode'>) =>
  errors.createErrorFromCode(errorCode);

const nameOf = ({ topicName: topic, partition }: PartitionAnswer): string =>
  partitionName({ topic, partition });

/**
 * What came of a batch: what its partitions have said, the error where it has failed, and whether kafkajs may not have counted each of them
 * once in the end: then the producer's next sequence numbers are not the next ones of the log.
 */
export interface BatchAnswer {
  readonly answers: ReadonlyMap<string, PartitionAnswer>;
  readonly error?: unknown;
  readonly isMiscounted: boolean;
}

/** The messages for partitions that have said nothing. */
const unanswered = (batch: readonly TopicMessages[], answers: Answers): TopicMessages[] =>
  batch.flatMap(({ topic, messages }) => {
    const left = messages.filter(
      ({ partition }) => partition === undefined || !answers.has(partitionName({ topic, partition })),
    );
    return left.length === 0 ? [] : [{ topic, messages: left }];
  });

const newTries = (): Tries => ({
  ...{ taken: new Map(), mayBeWritten: new Set(), inFlight: new Map() },
  ...{ numbers: new Map(), counts: new Map(), isOver: false },
});

const isInFlight = ({ inFlight }: Tries, name: string): boolean => (inFlight.get(name) ?? 0) > 0;

/** How often partitions without an answer are asked for again. */
const mostRounds = 5;

/**
 * Sends a batch, and tells what each of its partitions says, though it refuses. kafkajs 2.2.4 resolves without a partition that moves, between
 * two tries, to a broker that has answered already (its issue 1303), and with an earlier refusal of one that moves back: where records may
 * have been written since, that says nothing. Such partitions are asked for again by the same producer.
 */
export const sendByPartition = (producer: Producer, batch: TopicMessages[]): Promise<BatchAnswer> => {
  const tries = newTries();
  const answers: Answers = new Map();
  const isOutdated = (name: string, { errorCode }: PartitionAnswer): boolean =>
    notWritten.has(errorCode) && (tries.mayBeWritten.has(name) || isInFlight(tries, name));
  const send = async (topicMessages: TopicMessages[], round = 0): Promise<void> => {
    for (const each of await producer.sendBatch({ topicMessages })) answers.set(nameOf(each), each);
    for (const [name, each] of tries.taken) answers.set(name, each);
    for (const [name, each] of answers) if (isOutdated(name, each)) answers.delete(name);
    const left = unanswered(topicMessages, answers);
    if (left.length > 0 && round < mostRounds) await send(left, round + 1);
  };
  const over = (failure?: { readonly error: unknown }): BatchAnswer => {
    tries.isOver = true;
    const isMiscounted = [...tries.counts].some(([name, count]) => count !== 1 || isInFlight(tries, name));
    return { answers: new Map([...answers, ...tries.taken]), isMiscounted, ...failure };
  };
  return triesOfBatch.run(tries, () =>
    send(batch).then(
      () => over(),
      (error: unknown) => over({ error }),
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

/** The partitions of a request. */
const carriedBy = ({ topicData }: ProduceRequest) =>
  topicData.flatMap(({ topic, partitions }) =>
    partitions.map((entry) => ({
      topic,
      name: partitionName({ topic, partition: entry.partition }),
      entry,
    })),
  );
type Carried = ReturnType<typeof carriedBy>;

/** Gives each the sequence number of its first try. */
const keepNumbers = (carried: Carried, { numbers }: Tries): void => {
  for (const { name, entry } of carried) {
    entry.firstSequence = numbers.get(name) ?? entry.firstSequence;
    numbers.set(name, entry.firstSequence);
  }
};

const count = (carried: Carried, counts: Counts, more: 1 | -1): void => {
  for (const { name } of carried) counts.set(name, (counts.get(name) ?? 0) + more);
};

const topicDataOf = (carried: Carried): ProduceRequest['topicData'] =>
  [...Map.groupBy(carried, ({ topic }) => topic)].map(([topic, same]) => ({
    topic,
    partitions: same.map(({ entry }) => entry),
  }));

const { produce } = Broker.prototype;

/**
 * kafkajs 2.2.4 begins another try of a batch for two brokers while one of them has not answered the last one, and sends it the same records
 * again, or sends them to a third that leads them by then, under other numbers; and it sends what has waited for its turn when the batch is
 * long over. Here the records of a partition keep the number of their first try, so that each broker knows them; what a partition has
 * taken is not sent to it again, and nothing once the batch is over (D-69).
 */
Broker.prototype.produce = async function (this: Broker, request): Promise<unknown> {
  const tries = triesOfBatch.getStore();
  if (!tries) return produce.call(this, request);
  if (tries.isOver) throw new Error('the batch is over');
  const all = carriedBy(request);
  keepNumbers(all, tries);
  // As kafkajs does: all that it has put into the request, whatever is left of that.
  count(all, tries.counts, 1);
  const left = all.filter(({ name }) => !tries.taken.has(name));
  if (left.length === 0) return { topics: [] };
  for (const { name } of left) if (isInFlight(tries, name)) tries.mayBeWritten.add(name);
  count(left, tries.inFlight, 1);
  const topicData = left.length === all.length ? request.topicData : topicDataOf(left);
  try {
    return await produce.call(this, { ...request, topicData });
  } catch (error) {
    count(all, tries.counts, -1);
    const isAnswered = error instanceof Error && error.name === 'KafkaJSProtocolError';
    const lost = isAnswered ? [] : left;
    for (const { name } of lost) tries.mayBeWritten.add(name);
    throw error;
  } finally {
    count(left, tries.inFlight, -1);
  }
};
