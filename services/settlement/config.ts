import { z } from 'zod';
import { httpSettings, kafkaSettings, opsSettings, postgresSettings } from '#libs/runtime/settings.ts';
import { isTimeZone } from './core/days.ts';

/** Whose calendar days settlement settles. */
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

/** The environment of the close of day. */
export const closeSchema = z.object({
  ...postgresSettings,
  ...daySettings,
  PARTNER_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
  PARTNER_TOKEN: z.string().min(1).optional(),
});

/** The environment of the proof by replay. */
export const replaySchema = z.object({ ...postgresSettings, ...kafkaSettings, ...daySettings });
