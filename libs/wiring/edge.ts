import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { createKeyChanges } from '#libs/catalog/key-changes.ts';
import { lookOften } from '#libs/catalog/look-often.ts';
import { measured } from '#libs/catalog/measured.ts';
import { openObjects } from '#libs/catalog/open-catalog.ts';
import type { CatalogUse } from '#libs/catalog/catalog-objects.ts';
import { addressSet } from '#libs/http/client-ip.ts';
import { openapiOf } from '#libs/http/openapi.ts';
import { httpServer } from '#libs/http/server.ts';
import type { HttpOptions } from '#libs/http/server.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { createReplyRouter } from '#libs/messaging/reply-router.ts';
import type { ReplyRouter } from '#libs/messaging/reply-router.ts';
import { createRequest } from '#libs/messaging/request.ts';
import { createRequestTogether } from '#libs/messaging/request-together.ts';
import { redisRateLimiter, unlimited } from '#libs/rate-limits/rate-limiter.ts';
import type { catalogSettings } from '#libs/runtime/catalog-settings.ts';
import { redisAccess } from '#libs/runtime/redis-settings.ts';
import type { proxySettings } from '#libs/runtime/proxy-settings.ts';
import type { rateLimitSettings } from '#libs/runtime/rate-limit-settings.ts';
import type { redisSettings } from '#libs/runtime/redis-settings.ts';
import { httpAccess } from '#libs/runtime/settings.ts';
import type { httpSettings, opsSettings } from '#libs/runtime/settings.ts';
import { createPinnedIds } from './pinned-ids.ts';
import type { ServiceContext } from './kafka-service.ts';
import { waitingRedis } from './waiting-redis.ts';

type EdgeSettings = typeof opsSettings &
  typeof httpSettings &
  typeof proxySettings &
  typeof redisSettings &
  typeof rateLimitSettings &
  typeof catalogSettings;
type EdgeConfig = z.output<z.ZodObject<EdgeSettings>>;
type Api = Parameters<typeof openapiOf>[0];

/** How the service speaks with the others, and waits for their replies. */
const messagingOver = (
  publisher: ServiceContext<EdgeConfig>['publisher'],
  replies: ReplyRouter,
  clock: Clock,
) => {
  const { publish, publishAll, partitionOf } = publisher;
  const requests = { publish, publishAll, partitionOf, replies, clock };
  return {
    request: createRequest(requests),
    requestTogether: createRequestTogether(requests),
    reply: replies.reply,
    publish,
  };
};

interface EdgeOptions extends Omit<CatalogUse, 'log'> {
  readonly name: Api;
  /** Where the events are of that for which this service makes ids: those stay in their partitions (D-63). */
  readonly inPlay: readonly TopicName[];
}

/**
 * What a service connects whose callers wait for replies over the log: Redis, the router of replies, the catalog, what is trusted of
 * proxies, how often callers may try, who makes ids, and the HTTP server of its API. `components` start before everything that uses them.
 */
export const connectEdge = (
  context: ServiceContext<EdgeConfig>,
  { name, inPlay, ...catalogUse }: EdgeOptions,
) => {
  const { config, clock, service, instance, log, metrics, publisher, security } = context;
  const redis = waitingRedis({ server: redisAccess(config), log, metrics });
  // A service's replies have channels of its own, which its Redis user alone may use (redis-users.ts).
  const of = { instance: `${service}:${instance}`, bootId: randomUUID() };
  const replies = createReplyRouter({ redis: redis.client, ...of, clock, log });
  const source = measured(openObjects(config, { ...catalogUse, log }), metrics, clock);
  const catalog = createCatalog(source.objects, clock);
  const { objects } = source;
  const { ids, partitions } = createPinnedIds(context, inPlay);
  const kind = name === 'launcher' ? ('Secret' as const) : ('Game' as const);
  metrics.ofGames(() => catalog.games().map(({ gameId }) => gameId));
  return {
    redis: redis.client,
    catalog,
    ids,
    trust: { hops: config.TRUSTED_HOPS, proxies: addressSet(config.TRUSTED_CIDRS) },
    rateLimiter: config.RATE_LIMITS === 'off' ? unlimited : redisRateLimiter(redis.client, name, security),
    messaging: messagingOver(publisher, replies, clock),
    components: [
      redis,
      replies,
      source,
      lookOften('key changes', createKeyChanges({ objects, kind, catalog, note: security, clock })),
      publisher,
      partitions,
    ],
    server: ({ routes, authenticate }: Pick<HttpOptions, 'routes' | 'authenticate'>) =>
      httpServer({
        ...httpAccess(config),
        ...{ document: openapiOf(name), routes, authenticate, metrics, log, security },
      }),
  };
};
