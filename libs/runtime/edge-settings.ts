import { catalogSettings } from './catalog-settings.ts';
import { redisSettings } from './redis-settings.ts';
import { httpSettings, kafkaSettings, limitSettings, opsSettings } from './settings.ts';

/** The settings of a service with callers at the edge: its HTTP API, the log, Redis, the limits of the product and the catalog. */
export const edgeSettings = {
  ...opsSettings,
  ...httpSettings,
  ...kafkaSettings,
  ...redisSettings,
  ...limitSettings,
  ...catalogSettings,
};
