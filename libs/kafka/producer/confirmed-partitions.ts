import { Partitioners } from 'kafkajs';
import type { ICustomPartitioner, Message, RecordMetadata, TopicMessages } from 'kafkajs';
import { partitionName } from '../fetched-message.ts';

/** The partitions that each message in flight was assigned to: several when their number grew between two tries. */
const assigned = new WeakMap<Message, Set<number>>();

/** The default partitioner of kafkajs, which also notes where it sends each message. */
export const notingPartitioner: ICustomPartitioner = () => {
  const choose = Partitioners.DefaultPartitioner();
  return (args) => {
    const partition = choose(args);
    const partitions = assigned.get(args.message) ?? new Set();
    assigned.set(args.message, partitions.add(partition));
    return partition;
  };
};

/**
 * The messages of a batch that no broker has confirmed by topic and partition. kafkajs 2.2.4 resolves a batch without some of them when a
 * partition moves, between two tries, to a broker that has answered already (its issue 1303).
 */
export const unconfirmedOf = (
  batch: readonly TopicMessages[],
  answers: readonly RecordMetadata[],
): ReadonlySet<Message> => {
  const confirmed = new Set(
    answers.map(({ topicName: topic, partition }) => partitionName({ topic, partition })),
  );
  const isConfirmed = (topic: string, message: Message): boolean => {
    const partitions = [...(assigned.get(message) ?? [])];
    return (
      partitions.length > 0 &&
      partitions.every((partition) => confirmed.has(partitionName({ topic, partition })))
    );
  };
  return new Set(
    batch.flatMap(({ topic, messages }) => messages.filter((each) => !isConfirmed(topic, each))),
  );
};
