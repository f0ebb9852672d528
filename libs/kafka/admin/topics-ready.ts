import type { Admin } from 'kafkajs';
import { sleep } from '#libs/runtime/wait.ts';

const readyTimeoutMs = 30_000;
const pollMs = 50;

/** How many partitions a topic needs. */
export interface PartitionCount {
  readonly topic: string;
  readonly partitions: number;
}

type TopicsAdmin = Pick<Admin, 'fetchTopicMetadata' | 'fetchTopicOffsets'>;

/** Of these topics, those that the cluster does not have, or has with fewer partitions. */
export const lackingPartitions = async <T extends PartitionCount>(
  admin: TopicsAdmin,
  wanted: readonly T[],
): Promise<(T & { readonly present: number })[]> => {
  // The metadata of all topics lacks those that the broker does not have yet; the metadata of such a topic by name would be an error.
  const { topics } = await admin.fetchTopicMetadata();
  const counts = new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  return wanted
    .map((each) => ({ ...each, present: counts.get(each.topic) ?? 0 }))
    .filter(({ present, partitions }) => present < partitions);
};

/** Whether the partitions exist and the leader of each returns its offsets, which only a leader can. */
const isReady = async (admin: TopicsAdmin, wanted: readonly PartitionCount[]): Promise<boolean> => {
  if ((await lackingPartitions(admin, wanted)).length > 0) return false;
  for (const { topic } of wanted) await admin.fetchTopicOffsets(topic);
  return true;
};

/**
 * Resolves when every partition of these topics has a leader that answers. The controller acknowledges a change before the brokers have
 * applied it: until then a broker answers "does not host this topic-partition", or with the old number of partitions. Rejects after 30 s.
 */
export const topicsReady = async (
  admin: TopicsAdmin,
  wanted: readonly PartitionCount[],
  timeoutMs = readyTimeoutMs,
): Promise<void> => {
  const deadlineMs = performance.now() + timeoutMs;
  let cause: unknown;
  const noteCause = (error: unknown): false => {
    cause = error;
    return false;
  };
  while (!(await isReady(admin, wanted).catch(noteCause))) {
    if (performance.now() > deadlineMs) throw new Error('new partitions have no leader yet', { cause });
    await sleep(pollMs);
  }
};
