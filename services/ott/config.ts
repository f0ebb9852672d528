import { z } from 'zod';
import { redisSettings, withRedis } from '#libs/runtime/redis-settings.ts';
import { kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { limitSettings, opsSettings, unbilledSettings, withLimits } from '#libs/runtime/settings.ts';

/** The environment of ott. */
export const schema = withKafka(
  withRedis(
    withLimits(
      z.object({ ...opsSettings, ...kafkaSettings, ...redisSettings, ...limitSettings, ...unbilledSettings }),
    ),
  ),
);
