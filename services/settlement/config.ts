import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { httpSettings, kafkaSettings, opsSettings, postgresSettings } from '#libs/runtime/settings.ts';
import { isTimeZone } from './core/days.ts';

/** The folder of the schema's migrations. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/** The time zone whose calendar days are settled (D-31). */
const daySettings = {
  SETTLEMENT_TIME_ZONE: z
    .string()
    .refine(isTimeZone, 'must be a time zone, such as Asia/Seoul')
    .default('Asia/Seoul'),
};

/** The environment of settlement. */
export const schema = z.object({
  ...opsSettings,
  ...httpSettings,
  ...kafkaSettings,
  ...postgresSettings,
  ...daySettings,
});

/** The environment of the close-day command. */
export const closeSchema = z.object({
  ...postgresSettings,
  ...daySettings,
  PARTNER_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
  PARTNER_TOKEN: z.string().min(1).optional(),
});

/** The environment of the replay command. */
export const replaySchema = z.object({ ...postgresSettings, ...kafkaSettings, ...daySettings });
