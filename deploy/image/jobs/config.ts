import { z } from 'zod';
import { kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { wholeNumber } from '#libs/runtime/settings.ts';

const maxPartitions = 1_000;

/** The environment of the admin of topics. */
export const topicsSchema = withKafka(
  z.object({
    ...kafkaSettings,
    /** Partitions of each topic that has several; never fewer than the contracts say. */
    KAFKA_PARTITIONS: wholeNumber(1, maxPartitions).default(1),
  }),
);
