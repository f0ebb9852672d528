import { Kafka, logLevel } from 'kafkajs';
import { withAdmin } from '../support/with-admin.ts';

/** How many partitions each topic of somebody's has, asked of the brokers themselves; Kafka's own begin with two underscores. */
export const partitionsOf = (brokers: string[]): Promise<ReadonlyMap<string, number>> =>
  withAdmin(new Kafka({ brokers, logLevel: logLevel.NOTHING }), async (admin) => {
    const { topics } = await admin.fetchTopicMetadata();
    const own = topics.filter(({ name }) => !name.startsWith('__'));
    return new Map(own.map(({ name, partitions }) => [name, partitions.length]));
  });
