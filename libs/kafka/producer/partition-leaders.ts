import { Partitioners } from 'kafkajs';
import type { ICustomPartitioner, Message, PartitionMetadata } from 'kafkajs';
import type { Clock } from '#libs/kernel/clock.ts';
import { metadataMaxAgeMs } from '../metadata-age.ts';
import { placedBy } from './partition-of-key.ts';
import type { Placed } from './partition-of-key.ts';

/** A message; of one event with all that decides its partition. */
export type PlacedMessage = Message &
  (Placed | { readonly keyHash?: never; readonly pin?: never; readonly queuedIn?: never });

/** Where the records of a topic go, as the cluster's metadata said at the latest try of a send. */
export interface PartitionLeaders {
  /**
   * Puts each message into the partition of its key, and notes the leaders; a message stays in its partition over retries. Throws where the
   * metadata has no such partition: it may be older than the partition, and who sends the message again asks for it anew.
   */
  readonly partitioner: ICustomPartitioner;
  /** The partition of an event; undefined before the first send to the topic. */
  partitionOf(topic: string, event: Placed): number | undefined;
  /** The id of the broker that leads a partition; undefined when none is known. */
  leaderOf(topic: string, partition: number): number | undefined;
}

interface Topic {
  readonly metadata: PartitionMetadata[];
  /** When it was seen first, by the clock. */
  readonly notedAtMs: number;
  readonly leaders: ReadonlyMap<number, number>;
  /** Counts that ids told while the metadata had fewer, and since when. */
  readonly lacking: Map<number, number>;
}

/** Metadata that is seen as long after something is no older than that. */
const certainlyNewerMs = metadataMaxAgeMs + 2_000;

/** Among how many partitions an id has its events divided. A count that newer metadata does not have either is not one of this topic. */
const countFor = (
  { metadata, notedAtMs, lacking }: Topic,
  pin: number | undefined,
  nowMs: number,
): number => {
  if (pin === undefined) return metadata.length;
  if (pin <= metadata.length) {
    lacking.delete(pin);
    return pin;
  }
  const sinceMs = lacking.get(pin) ?? nowMs;
  lacking.set(pin, sinceMs);
  return notedAtMs - sinceMs > certainlyNewerMs ? metadata.length : pin;
};

/** Undefined where nothing decides: without a key. */
const placedOf = ({ key = null, keyHash, pin, queuedIn }: PlacedMessage): Placed | undefined => {
  if (keyHash !== undefined) return { keyHash, pin, queuedIn };
  return key === null ? undefined : placedBy(key);
};

/** Knows no topic yet. `clock`: in ms, monotonic. */
export const createPartitionLeaders = (clock: Clock = () => performance.now()): PartitionLeaders => {
  const chooseWithoutKey = Partitioners.DefaultPartitioner();
  const topics = new Map<string, Topic>();
  const noted = (name: string, metadata: PartitionMetadata[]): Topic => {
    const known = topics.get(name);
    if (known?.metadata === metadata) return known;
    const leaders = new Map(metadata.map(({ partitionId, leader }) => [partitionId, leader]));
    const topic = { metadata, notedAtMs: clock(), leaders, lacking: known?.lacking ?? new Map() };
    topics.set(name, topic);
    return topic;
  };
  const partitionIn = (topic: Topic, { keyHash, pin, queuedIn }: Placed): number =>
    queuedIn !== undefined && queuedIn < countFor(topic, queuedIn + 1, clock())
      ? queuedIn
      : keyHash % countFor(topic, pin, clock());
  return {
    partitioner: () => (args) => {
      const topic = noted(args.topic, args.partitionMetadata);
      const message: PlacedMessage = args.message;
      const placed = placedOf(message);
      message.partition ??= placed ? partitionIn(topic, placed) : chooseWithoutKey(args);
      if (message.partition < topic.metadata.length) return message.partition;
      throw new Error(`${args.topic} has no partition ${message.partition} yet`);
    },
    partitionOf: (name, event) => {
      const topic = topics.get(name);
      return topic && partitionIn(topic, event);
    },
    leaderOf: (topic, partition) => topics.get(topic)?.leaders.get(partition),
  };
};
