import { AsyncLocalStorage } from 'node:async_hooks';
import type { Producer, ProducerBatch, RecordMetadata } from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';
import type { ProduceRequest } from 'kafkajs/src/broker/index.js';
import errors from 'kafkajs/src/protocol/error.js';
import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';
import { partitionName } from '../fetched-message.ts';

/** UNKNOWN_TOPIC_OR_PARTITION and NOT_ENOUGH_REPLICAS: what may pass when it is tried again, and was not written by the try that it answers. */
const notWritten: ReadonlySet<number> = new Set([3, 19]);

/** Of a batch that is sent by partition: those into which a try may have written whose answer was lost or thrown away. */
const mayBeWritten = new AsyncLocalStorage<Set<string>>();

/** Whether a partition took what was sent to it; otherwise `refusalOf` says why not. */
export const isTaken = ({ errorCode }: Pick<RecordMetadata, 'errorCode'>): boolean => errorCode === 0;

/** The broker's reason for a code other than 0; its `type` is the protocol's name of it. */
export const refusalOf = ({ errorCode }: Pick<RecordMetadata, 'errorCode'>) =>
  errors.createErrorFromCode(errorCode);

/** Sends a batch, and resolves to what each of its partitions says, though it refuses. */
export const sendByPartition = (producer: Producer, batch: ProducerBatch): Promise<RecordMetadata[]> =>
  mayBeWritten.run(new Set(), () => producer.sendBatch(batch));

const namesOf = ({ topicData }: ProduceRequest): string[] =>
  topicData.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition }) => partitionName({ topic, partition })),
  );

/** Whether kafkajs must try again what a partition refuses: for whoever sends by partition, where records may have been written. */
const isThrown = (
  each: { readonly name: string; readonly errorCode: number },
  written: ReadonlySet<string> | undefined,
): boolean => {
  if (isTaken(each)) return false;
  if (!written) return true;
  return notWritten.has(each.errorCode) ? written.has(each.name) : refusalOf(each).retriable;
};

/**
 * kafkajs 2.2.4 throws a broker's whole answer away when one of its partitions refuses, and tries again, or gives up, what the others have
 * taken. For `sendByPartition` the answer says what became of each partition. Where records may have been written that are to be tried
 * again, by this try or an earlier one, it is thrown as for everybody else: kafkajs sends them, for a minute, under the same sequence
 * numbers, which the broker knows.
 */
answer.parse = async (data) => {
  if (data.topics.every(({ partitions }) => partitions.every(isTaken))) return data;
  const written = mayBeWritten.getStore();
  const all = data.topics.flatMap(({ topicName: topic, partitions }) =>
    partitions.map(({ partition, errorCode }) => ({ name: partitionName({ topic, partition }), errorCode })),
  );
  const thrown = all.find((each) => isThrown(each, written));
  if (!thrown) return data;
  for (const { name, errorCode } of all) if (!notWritten.has(errorCode)) written?.add(name);
  throw refusalOf(thrown);
};

const { produce } = Broker.prototype;

Broker.prototype.produce = async function (this: Broker, request): Promise<unknown> {
  try {
    return await produce.call(this, request);
  } catch (error) {
    const isAnswered = error instanceof Error && error.name === 'KafkaJSProtocolError';
    const written = isAnswered ? [] : namesOf(request);
    written.forEach((name) => mayBeWritten.getStore()?.add(name));
    throw error;
  }
};
