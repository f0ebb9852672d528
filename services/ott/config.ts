import { z } from 'zod';
import {
  kafkaSettings,
  limitSettings,
  opsSettings,
  redisSettings,
  unbilledSettings,
  withLimits,
} from '#libs/runtime/settings.ts';

/** The environment of ott. */
export const schema = withLimits(
  z.object({ ...opsSettings, ...kafkaSettings, ...redisSettings, ...limitSettings, ...unbilledSettings }),
);
