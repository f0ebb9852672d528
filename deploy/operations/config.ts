import { z } from 'zod';
import { catalogSettings, withCatalog } from '#libs/runtime/catalog-settings.ts';
import { kafkaSettings, withKafka } from '#libs/runtime/kafka-settings.ts';
import { partnerSettings, withPartner } from '#libs/runtime/partner-settings.ts';
import { postgresSettings } from '#libs/runtime/settings.ts';
import { operatorSettings } from './operator.ts';
import { daySettings } from '../../services/settlement/config.ts';

/** The environment of the close-day command. */
export const closeSchema = withPartner(
  z.object({
    ...operatorSettings,
    ...postgresSettings,
    ...daySettings,
    ...partnerSettings,
    PARTNER_URL: partnerSettings.PARTNER_URL.optional(),
    PARTNER_TOKEN: z.string().min(1).optional(),
  }),
);

/** The environment of the pod that commands of operators run in. */
export const consoleSchema = withCatalog(
  withKafka(z.object({ ...catalogSettings, ...postgresSettings, ...kafkaSettings, ...daySettings })),
);

/** The environment of the replay command. */
export const replaySchema = withKafka(z.object({ ...postgresSettings, ...kafkaSettings, ...daySettings }));
