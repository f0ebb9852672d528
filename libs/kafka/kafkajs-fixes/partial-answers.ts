import type { RecordMetadata } from 'kafkajs';
import errors from 'kafkajs/src/protocol/error.js';
import answer from 'kafkajs/src/protocol/requests/produce/v7/response.js';

/** UNKNOWN_TOPIC_OR_PARTITION and NOT_ENOUGH_REPLICAS: what may pass when it is tried again, and was surely not written. */
const notWritten: ReadonlySet<number> = new Set([3, 19]);

/** Whether a partition took what was sent to it; otherwise `refusalOf` says why not. */
export const isTaken = ({ errorCode }: Pick<RecordMetadata, 'errorCode'>): boolean => errorCode === 0;

/** The broker's reason for a code other than 0; its `type` is the protocol's name of it. */
export const refusalOf = ({ errorCode }: Pick<RecordMetadata, 'errorCode'>) =>
  errors.createErrorFromCode(errorCode);

/** Throws the first refusal, for whoever sends without a second try. */
export const throwIfRefused = (answers: readonly RecordMetadata[]): void => {
  const refused = answers.find((each) => !isTaken(each));
  if (refused) throw refusalOf(refused);
};

/**
 * kafkajs 2.2.4 throws a broker's whole answer away when one of its partitions refuses, and tries again, or gives up, what the others have
 * taken. Here the answer says what became of each partition, so that whoever sends looks at it. Where records may have been written that are
 * to be tried again it is thrown as before: kafkajs sends them, for a minute, under the same sequence numbers, which the broker knows.
 */
answer.parse = async (data) => {
  const all = data.topics.flatMap(({ partitions }) => partitions);
  const again = all.find(
    (each) => !isTaken(each) && !notWritten.has(each.errorCode) && refusalOf(each).retriable,
  );
  if (again) throw refusalOf(again);
  return data;
};
