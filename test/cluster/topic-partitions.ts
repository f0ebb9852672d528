import { Kafka, logLevel } from 'kafkajs';

/** How many partitions each topic has, asked of the brokers themselves. */
export const partitionsOf = async (brokers: string[]): Promise<ReadonlyMap<string, number>> => {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata();
    return new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  } finally {
    await admin.disconnect();
  }
};
