import { z } from 'zod';
import { withCatalog } from '#libs/runtime/catalog-settings.ts';
import { edgeSettings } from '#libs/runtime/edge-settings.ts';
import { withKafka } from '#libs/runtime/kafka-settings.ts';
import { withRedis } from '#libs/runtime/redis-settings.ts';
import { wholeNumber, withLimits } from '#libs/runtime/settings.ts';

/** The environment of game-session. */
export const schema = withKafka(
  withCatalog(
    withRedis(
      withLimits(
        z.object({
          ...edgeSettings,
          /** How long a heartbeat waits for its renewal, in ms. */
          HEARTBEAT_BILLING_WAIT_MS: wholeNumber(1, 10_000).default(800),
          /** Of so many heartbeats a second each waits; of more those whose cafe's balance is known to last do not (D-62). */
          HEARTBEATS_AWAITED_PER_SEC: wholeNumber(0, 100_000).default(250),
        }),
      ),
    ),
  ),
);
