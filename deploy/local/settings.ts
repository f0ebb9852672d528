import { z } from 'zod';
import { readConfig } from '#libs/runtime/config.ts';
import { limitSettings, wholeNumber, withLimits } from '#libs/runtime/settings.ts';

const schema = withLimits(
  z.object({
    ...limitSettings,
    LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    HEARTBEAT_BILLING_WAIT_MS: wholeNumber(1, 10_000).default(800),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  }),
);

/** The settings of the environment that `npm start` passes on to the services (contract, part 2). Throws ConfigError with all problems. */
export const stackSettings = (env: NodeJS.ProcessEnv) => {
  const config = readConfig(schema, env);
  const passed = Object.entries(config).filter(([, value]) => value !== undefined);
  return { config, settings: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])) };
};
