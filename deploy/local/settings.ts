import { z } from 'zod';
import { topics } from '#libs/contracts/topics.ts';
import type { TopicCatalog } from '#libs/kafka/admin/ensure-topics.ts';
import { withPartitions } from '#libs/kafka/admin/with-partitions.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { rateLimitSettings } from '#libs/runtime/rate-limit-settings.ts';
import { redisSettings } from '#libs/runtime/redis-settings.ts';
import { kafkaSettings } from '#libs/runtime/kafka-settings.ts';
import { retrySettings } from '#libs/runtime/partner-settings.ts';
import { daySettings } from '../../services/settlement/config.ts';
import {
  heartbeatSettings,
  limitSettings,
  opsSettings,
  postgresSettings,
  unbilledSettings,
  wholeNumber,
  withLimits,
} from '#libs/runtime/settings.ts';

/** Stores that run already; each service receives only those it uses. */
const stores = {
  KAFKA_BROKERS: kafkaSettings.KAFKA_BROKERS.optional(),
  REDIS_URL: redisSettings.REDIS_URL,
  DATABASE_URL: postgresSettings.DATABASE_URL.optional(),
};

const schema = withLimits(
  z.object({
    ...limitSettings,
    ...unbilledSettings,
    ...heartbeatSettings,
    ...rateLimitSettings,
    ...retrySettings,
    ...daySettings,
    KAFKA_PARTITIONS: wholeNumber(3, 1_000).default(3),
    LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    REDIS_PACKED: z.stringbool().optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
    OTEL_TRACES_SAMPLER_ARG: opsSettings.OTEL_TRACES_SAMPLER_ARG,
    ...stores,
  }),
);

/** The stores that the environment names, and that are used instead of ones of the stack's own. */
export interface NamedStores {
  readonly brokers?: readonly string[] | undefined;
  readonly redisUrl?: string | undefined;
  readonly postgresUrl?: string | undefined;
}

/** The topics of a stack with these settings. */
export const topicsOf = ({ KAFKA_PARTITIONS = '1' }: Readonly<Record<string, string>>): TopicCatalog =>
  withPartitions(topics, Number(KAFKA_PARTITIONS));

/** The settings of the environment that `npm start` passes on to the services, and the stores that it names. Throws ConfigError with all problems. */
export const stackSettings = (env: NodeJS.ProcessEnv) => {
  const config = readConfig(schema, env);
  const passed = Object.entries(config).flatMap(([name, value]) => {
    // A rate has its text in the environment, or is the services' own default.
    const text = typeof value === 'object' ? env[name] || undefined : value;
    return text === undefined || name in stores ? [] : [[name, String(text)]];
  });
  const named: NamedStores = {
    brokers: config.KAFKA_BROKERS,
    redisUrl: config.REDIS_URL,
    postgresUrl: config.DATABASE_URL,
  };
  return { config, named, settings: Object.fromEntries(passed) as Record<string, string> };
};
