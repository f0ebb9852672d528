import { z } from 'zod';
import { kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { partnerSettings, withPartner } from '#libs/runtime/partner-settings.ts';
import { opsSettings, wholeNumber } from '#libs/runtime/settings.ts';

/** The environment of billing-adapter. The token has no default: it is a secret. */
export const schema = withPartner(
  withKafka(
    z.object({
      ...opsSettings,
      ...kafkaSettings,
      ...partnerSettings,
      PARTNER_RETRIES_PER_SEC: wholeNumber(1, 10_000).default(50),
      PARTNER_TOKEN: z.string().min(8, 'must have at least 8 characters'),
    }),
  ),
);
