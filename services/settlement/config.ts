import { z } from 'zod';
import { httpSettings, kafkaSettings, opsSettings, postgresSettings } from '#libs/runtime/settings.ts';

/** The environment of settlement. */
export const schema = z.object({ ...opsSettings, ...httpSettings, ...kafkaSettings, ...postgresSettings });
