import { z } from 'zod';
import { kafkaSettings, wholeNumber } from '#libs/runtime/settings.ts';

const maxPartitions = 1_000;

/** The environment of the admin of topics. */
export const topicsSchema = z.object({
  ...kafkaSettings,
  /** Partitions of each topic that has several; never fewer than the contracts say. */
  KAFKA_PARTITIONS: wholeNumber(1, maxPartitions).default(1),
});
