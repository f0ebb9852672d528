import { Partitioners } from 'kafkajs';
import type { ICustomPartitioner, PartitionMetadata } from 'kafkajs';
import { partitionOfKey } from './partition-of-key.ts';

/** Where the records of a topic go, as the cluster's metadata said at the latest try of a send. */
export interface PartitionLeaders {
  /** Puts each message into the partition of its key, and notes the leaders; a message stays in its partition over retries. */
  readonly partitioner: ICustomPartitioner;
  /** The partition of a key; undefined before the first send to the topic. */
  partitionOf(topic: string, key: string): number | undefined;
  /** The id of the broker that leads a partition; undefined when none is known. */
  leaderOf(topic: string, partition: number): number | undefined;
}

interface Topic {
  readonly metadata: PartitionMetadata[];
  readonly leaders: ReadonlyMap<number, number>;
}

/** Knows no topic yet. */
export const createPartitionLeaders = (): PartitionLeaders => {
  const chooseWithoutKey = Partitioners.DefaultPartitioner();
  const topics = new Map<string, Topic>();
  const note = (topic: string, metadata: PartitionMetadata[]): void => {
    if (topics.get(topic)?.metadata === metadata) return;
    const leaders = new Map(metadata.map(({ partitionId, leader }) => [partitionId, leader]));
    topics.set(topic, { metadata, leaders });
  };
  return {
    partitioner: () => (args) => {
      note(args.topic, args.partitionMetadata);
      const { message, partitionMetadata } = args;
      const { key = null } = message;
      return (message.partition ??=
        key === null ? chooseWithoutKey(args) : partitionOfKey(key, partitionMetadata.length));
    },
    partitionOf: (topic, key) => {
      const metadata = topics.get(topic)?.metadata;
      return metadata && partitionOfKey(key, metadata.length);
    },
    leaderOf: (topic, partition) => topics.get(topic)?.leaders.get(partition),
  };
};
