import type { Producer } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import { messagesOf } from '../bundle.ts';
import { countEvents } from '../encode-event.ts';
import type { ProducerRecord } from '../encode-event.ts';
import { partitionName } from '../fetched-message.ts';
import { isTaken, refusalOf, sendByPartition } from '../kafkajs-fixes/partial-answers.ts';
import type { BatchAnswer } from '../kafkajs-fixes/partial-answers.ts';
import type { PartitionLeaders } from './partition-leaders.ts';

/** What came of a try. */
export interface Tried {
  /** What must be sent again. */
  readonly unsent: readonly ProducerRecord[];
  /** Whether the brokers have said so of each partition. */
  readonly isAnswered: boolean;
  /** Whether the producer's next sequence numbers may not be the next ones of the log: it must send nothing else. */
  readonly isSpent: boolean;
}

/** How a batch is sent. */
export interface Sending extends Pick<PartitionLeaders, 'partitionOf'> {
  readonly bundles: boolean;
  readonly log: Log;
}

const noteRefused = (answers: BatchAnswer['answers'], log: Log): void => {
  for (const each of answers.values()) {
    if (isTaken(each)) continue;
    const fields = { topic: each.topicName, partition: each.partition, error: refusalOf(each).type };
    log.warn(fields, 'a partition refused its records');
  }
};

const noteFailed = (
  { error }: BatchAnswer,
  {
    records,
    unsent,
  }: { readonly records: readonly ProducerRecord[]; readonly unsent: readonly ProducerRecord[] },
  log: Log,
): void => {
  if (error === undefined && unsent.length === 0) return;
  const counts = { count: countEvents(records), unsent: countEvents(unsent) };
  if (error === undefined) log.warn(counts, 'a batch was confirmed only in part');
  else log.warn({ error, ...counts }, 'a batch was not sent; trying again with a new producer');
};

/** Sends records once. Unsent is what no broker has confirmed by topic and partition. */
export const trySend = async (
  producer: Producer,
  { partitionOf, bundles, log }: Sending,
  records: readonly ProducerRecord[],
): Promise<Tried> => {
  const inTopics = [...Map.groupBy(records, ({ topic }) => topic)].map(([topic, same]) => ({
    topic,
    messages: messagesOf(same, (event) => (bundles ? partitionOf(topic, event) : undefined)),
  }));
  const batch = inTopics.map(({ topic, messages }) => ({ topic, messages: [...messages.keys()] }));
  const outcome = await sendByPartition(producer, batch);
  const isConfirmed = (topic: string, partition: number | undefined): boolean => {
    const answer =
      partition === undefined ? undefined : outcome.answers.get(partitionName({ topic, partition }));
    return answer !== undefined && isTaken(answer);
  };
  const unsent = inTopics.flatMap(({ topic, messages }) =>
    [...messages].flatMap(([{ partition }, carried]) => (isConfirmed(topic, partition) ? [] : carried)),
  );
  noteRefused(outcome.answers, log);
  noteFailed(outcome, { records, unsent }, log);
  const isAnswered = outcome.error === undefined;
  return { unsent, isAnswered, isSpent: unsent.length > 0 || !isAnswered || outcome.isMiscounted };
};
