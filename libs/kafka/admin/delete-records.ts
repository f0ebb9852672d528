import type { TopicName } from '#libs/contracts/topics.ts';
import type { KafkaConnection } from '../connection.ts';

/** Deletes the messages of a partition that stand before an offset: from then on nobody can read them. */
export const deleteRecordsBefore = async (
  kafka: KafkaConnection,
  { topic, partition, offset }: { topic: TopicName; partition: number; offset: bigint },
): Promise<void> => {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const name = kafka.onCluster(topic);
    // kafkajs looks for the partition's leader in what it knows already: asking for offsets makes it learn the topic.
    await admin.fetchTopicOffsets(name);
    await admin.deleteTopicRecords({ topic: name, partitions: [{ partition, offset: String(offset) }] });
  } finally {
    await admin.disconnect();
  }
};
