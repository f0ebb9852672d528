import { Kafka, logLevel } from 'kafkajs';

/** How many partitions each topic of somebody's has, asked of the brokers themselves; Kafka's own begin with two underscores. */
export const partitionsOf = async (brokers: string[]): Promise<ReadonlyMap<string, number>> => {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { topics } = await admin.fetchTopicMetadata();
    const own = topics.filter(({ name }) => !name.startsWith('__'));
    return new Map(own.map(({ name, partitions }) => [name, partitions.length]));
  } finally {
    await admin.disconnect();
  }
};
