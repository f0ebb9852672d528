import { catalogSettings } from './catalog-settings.ts';
import { proxySettings } from './proxy-settings.ts';
import { rateLimitSettings } from './rate-limit-settings.ts';
import { redisSettings } from './redis-settings.ts';
import { kafkaSettings } from './kafka-settings.ts';
import { httpSettings, limitSettings, opsSettings } from './settings.ts';

/** The settings of a service with callers at the edge: its HTTP API and who stands before it, the log, Redis, the limits of the product, how often callers may try, and the catalog. */
export const edgeSettings = {
  ...opsSettings,
  ...httpSettings,
  ...proxySettings,
  ...kafkaSettings,
  ...redisSettings,
  ...limitSettings,
  ...rateLimitSettings,
  ...catalogSettings,
};
