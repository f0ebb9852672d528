import { z } from 'zod';
import { catalogSettings, withCatalog } from '#libs/runtime/catalog-settings.ts';
import {
  httpSettings,
  kafkaSettings,
  limitSettings,
  opsSettings,
  redisSettings,
  wholeNumber,
  withLimits,
} from '#libs/runtime/settings.ts';

/** The environment of game-session. */
export const schema = withCatalog(
  withLimits(
    z.object({
      ...opsSettings,
      ...httpSettings,
      ...kafkaSettings,
      ...redisSettings,
      ...limitSettings,
      ...catalogSettings,
      /** How long a heartbeat waits for its renewal, in ms. */
      HEARTBEAT_BILLING_WAIT_MS: wholeNumber(1, 10_000).default(800),
    }),
  ),
);
