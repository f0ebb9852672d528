import { randomUUID } from 'node:crypto';
import type { TopicName } from '#libs/contracts/topics.ts';
import { createLeastPartitions } from '#libs/kafka/admin/least-partitions.ts';
import type { LeastPartitions } from '#libs/kafka/admin/least-partitions.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { mostPartitions, withPin } from '#libs/kernel/partition-pins.ts';
import type { Ids } from '#libs/kernel/partition-pins.ts';
import type { Log } from '#libs/runtime/log.ts';

/** Ids of what has its events on these topics: they tell what the smallest of them has. */
export const createPinnedIds = (
  { kafka, log }: { readonly kafka: KafkaConnection; readonly log: Log },
  topics: readonly TopicName[],
): { readonly ids: Ids; readonly partitions: LeastPartitions } => {
  const partitions = createLeastPartitions({ kafka, topics, log });
  const pinned = (uuid: string): string => {
    const count = partitions.count();
    return count === undefined ? uuid : withPin(uuid, Math.min(count, mostPartitions));
  };
  return { ids: { uuid: randomUUID, pinned }, partitions };
};
