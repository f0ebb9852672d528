import { z } from 'zod';
import { readConfig } from '#libs/runtime/config.ts';
import { rateLimitSettings } from '#libs/runtime/rate-limit-settings.ts';
import { redisSettings } from '#libs/runtime/redis-settings.ts';
import { kafkaSettings } from '#libs/runtime/kafka-settings.ts';
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
    PARTNER_RETRIES_PER_SEC: wholeNumber(1, 10_000).default(50),
    LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    REDIS_PACKED: z.stringbool().optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
    OTEL_TRACES_SAMPLER_ARG: opsSettings.OTEL_TRACES_SAMPLER_ARG,
    ...stores,
  }),
);

/** The settings of the environment that `npm start` passes on to the services. Throws ConfigError with all problems. */
export const stackSettings = (env: NodeJS.ProcessEnv) => {
  const config = readConfig(schema, env);
  const passed = Object.entries(config).flatMap(([name, value]) => {
    // A rate has its text in the environment, or is the services' own default.
    const text = typeof value === 'object' ? env[name] || undefined : value;
    return text === undefined || name in stores ? [] : [[name, String(text)]];
  });
  return { config, settings: Object.fromEntries(passed) as Record<string, string> };
};
