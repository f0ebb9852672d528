import type { Producer, RecordMetadata } from 'kafkajs';
import type { Log } from '#libs/runtime/log.ts';
import { messagesOf } from '../bundle.ts';
import type { ProducerRecord } from '../encode-event.ts';
import { partitionName } from '../fetched-message.ts';
import { isTaken, refusalOf, sendByPartition } from '../kafkajs-fixes/partial-answers.ts';
import type { PartitionLeaders } from './partition-leaders.ts';

/** What came of a try: what must be sent again, and whether the brokers have said so of each partition. */
export interface Tried {
  readonly unsent: readonly ProducerRecord[];
  readonly isAnswered: boolean;
}

/** How a batch is sent. */
export interface Sending extends Pick<PartitionLeaders, 'partitionOf'> {
  readonly bundles: boolean;
  readonly log: Log;
}

const noteRefused = (answers: readonly RecordMetadata[], log: Log): void => {
  for (const each of answers.filter((answer) => !isTaken(answer))) {
    const fields = { topic: each.topicName, partition: each.partition, error: refusalOf(each).type };
    log.warn(fields, 'a partition refused its records');
  }
};

/**
 * Sends records once; resolves to those that no broker has confirmed by topic and partition: kafkajs 2.2.4 resolves a batch without some of
 * them when a partition moves, between two tries, to a broker that has answered already (its issue 1303), and when a partition refuses what
 * others have taken (kafkajs-fixes/partial-answers.ts).
 */
const unconfirmedAfterSend = async (
  producer: Producer,
  { partitionOf, bundles, log }: Sending,
  records: readonly ProducerRecord[],
): Promise<readonly ProducerRecord[]> => {
  const inTopics = [...Map.groupBy(records, ({ topic }) => topic)].map(([topic, same]) => ({
    topic,
    messages: messagesOf(same, (event) => (bundles ? partitionOf(topic, event) : undefined)),
  }));
  const topicMessages = inTopics.map(({ topic, messages }) => ({ topic, messages: [...messages.keys()] }));
  const answers = await sendByPartition(producer, { topicMessages });
  noteRefused(answers, log);
  const confirmed = new Set(
    answers.filter(isTaken).map(({ topicName: topic, partition }) => partitionName({ topic, partition })),
  );
  return inTopics.flatMap(({ topic, messages }) =>
    [...messages].flatMap(([{ partition }, carried]) =>
      partition !== undefined && confirmed.has(partitionName({ topic, partition })) ? [] : carried,
    ),
  );
};

/** As `unconfirmedAfterSend`; all records, without an answer, when the send failed. */
export const trySend = async (
  producer: Producer,
  sending: Sending,
  records: readonly ProducerRecord[],
): Promise<Tried> => {
  try {
    const unsent = await unconfirmedAfterSend(producer, sending, records);
    if (unsent.length > 0) sending.log.warn({ count: unsent.length }, 'a batch was confirmed only in part');
    return { unsent, isAnswered: true };
  } catch (error) {
    sending.log.warn(
      { error, count: records.length },
      'a batch was not sent; trying again with a new producer',
    );
    return { unsent: records, isAnswered: false };
  }
};
