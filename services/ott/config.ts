import { z } from 'zod';
import { redisSettings, withRedis } from '#libs/runtime/redis-settings.ts';
import {
  kafkaSettings,
  limitSettings,
  opsSettings,
  unbilledSettings,
  withLimits,
} from '#libs/runtime/settings.ts';

/** The environment of ott. */
export const schema = withRedis(
  withLimits(
    z.object({ ...opsSettings, ...kafkaSettings, ...redisSettings, ...limitSettings, ...unbilledSettings }),
  ),
);
