import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { catalogSettings, withCatalog } from '#libs/runtime/catalog-settings.ts';
import { httpSettings, kafkaSettings, opsSettings, postgresSettings } from '#libs/runtime/settings.ts';
import { isTimeZone } from './core/days.ts';

/** The folder of the schema's migrations. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/** The time zone whose calendar days are settled (D-31). */
export const daySettings = {
  SETTLEMENT_TIME_ZONE: z
    .string()
    .refine(isTimeZone, 'must be a time zone, such as Asia/Seoul')
    .default('Asia/Seoul'),
};

/** The environment of settlement. */
export const schema = withCatalog(
  z.object({
    ...opsSettings,
    ...httpSettings,
    ...kafkaSettings,
    ...postgresSettings,
    ...catalogSettings,
    ...daySettings,
    POSTGRES_SYNCHRONOUS: z.enum(['required', 'optional']).default('optional'),
  }),
);
