import { z } from 'zod';
import { withCatalog } from '#libs/runtime/catalog-settings.ts';
import { edgeSettings } from '#libs/runtime/edge-settings.ts';
import { withKafka } from '#libs/runtime/kafka-settings.ts';
import { withRedis } from '#libs/runtime/redis-settings.ts';
import { heartbeatSettings, withLimits } from '#libs/runtime/settings.ts';

/** The environment of game-session. */
export const schema = withKafka(
  withCatalog(
    withRedis(
      withLimits(
        z.object({
          ...edgeSettings,
          ...heartbeatSettings,
        }),
      ),
    ),
  ),
);
