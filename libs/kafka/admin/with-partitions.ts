import type { TopicCatalog } from './ensure-topics.ts';

/** The topics with as many partitions, where that is more than they have; a topic of one, whose order is of all its messages, stays so. */
export const withPartitions = (topics: TopicCatalog, partitions: number): TopicCatalog =>
  Object.fromEntries(
    Object.entries(topics).map(([name, topic]) => [
      name,
      topic.partitions === 1 ? topic : { ...topic, partitions: Math.max(topic.partitions, partitions) },
    ]),
  );
