import { z } from 'zod';
import type { Copies } from '#libs/kafka/admin/ensure-topics.ts';
import { kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { wholeNumber } from '#libs/runtime/settings.ts';

const maxPartitions = 1_000;
const maxCopies = 15;

/** The environment of the admin of topics. */
export const topicsSchema = withKafka(
  z.object({
    ...kafkaSettings,
    /** Partitions of each topic that has several; never fewer than the contracts say. */
    KAFKA_PARTITIONS: wholeNumber(1, maxPartitions).default(1),
    /** Of topics that are created: copies of each partition, and how many must have a message. Without, the brokers' defaults. */
    KAFKA_REPLICATION_FACTOR: wholeNumber(1, maxCopies).optional(),
    KAFKA_MIN_INSYNC_REPLICAS: wholeNumber(1, maxCopies).default(1),
  }),
);

/** The copies that topics are created with; undefined: the brokers' defaults. */
export const copiesOf = (config: z.output<typeof topicsSchema>): Copies | undefined => {
  const { KAFKA_REPLICATION_FACTOR: replicationFactor, KAFKA_MIN_INSYNC_REPLICAS: minInsyncReplicas } =
    config;
  return replicationFactor === undefined ? undefined : { replicationFactor, minInsyncReplicas };
};
