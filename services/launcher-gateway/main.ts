import { randomUUID } from 'node:crypto';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { openObjects } from '#libs/catalog/open-catalog.ts';
import { addressSet } from '#libs/http/client-ip.ts';
import { openapiOf } from '#libs/http/openapi.ts';
import { httpServer } from '#libs/http/server.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import { createRequest } from '#libs/messaging/request.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { createReplyRouter } from '#libs/messaging/reply-router.ts';
import type { ReplyRouter } from '#libs/messaging/reply-router.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import { createSingleFlight } from '#libs/runtime/single-flight.ts';
import { httpAccess, kafkaAccess, limitsOf } from '#libs/runtime/settings.ts';
import { signedCaller, tokenCaller } from './adapters/authenticate.ts';
import { redisCafeCache } from './adapters/redis-cafe-cache.ts';
import { redisLauncherSessions } from './adapters/redis-launcher-sessions.ts';
import { redisNonces } from './adapters/redis-nonces.ts';
import { cryptoTokens } from './adapters/token-crypto.ts';
import { api } from './api.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { handleDeadline } from './usecases/handle-deadline.ts';

const name = 'launcher-gateway';
const waits = { checkMs: 4_000, ottMs: 4_000, publishMs: 1_500 };
const clock = Date.now;

interface Drivers {
  readonly redis: Redis;
  readonly publisher: Publisher;
  readonly replies: ReplyRouter;
}

const adapters = ({ redis, publisher, replies }: Drivers) => ({
  waits,
  cafeCache: redisCafeCache(redis),
  checks: createSingleFlight() satisfies Ports['checks'],
  tokens: cryptoTokens(),
  ids: { uuid: randomUUID },
  request: createRequest({ publish: publisher.publish, replies, clock }),
  publish: publisher.publish,
  reply: replies.reply,
});

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics, instance }) => {
    const kafka = connectKafka({ ...kafkaAccess(config), clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const redis = connectRedis({ url: config.REDIS_URL, log, metrics });
    const replies = createReplyRouter({ redis: redis.client, instance, clock, log });
    const objects = openObjects(config, { launcherKeys: true, writesStatus: false, log });
    const catalog = createCatalog(objects.objects, clock);
    const limits = limitsOf(config);
    const sessions = redisLauncherSessions(redis.client, limits);
    const trust = { hops: config.TRUSTED_HOPS, proxies: addressSet(config.TRUSTED_CIDRS) };
    const drivers = { redis: redis.client, publisher, replies };
    const ports: Ports = { limits, sessions, catalog, ...adapters(drivers) };
    const authenticate = {
      signature: signedCaller({ catalog, trust, clock, useNonce: redisNonces(redis.client) }),
      'session-token': tokenCaller(sessions, trust),
    };
    const document = openapiOf('launcher');
    const http = { ...httpAccess(config), metrics, log, document };
    return [
      redis,
      replies,
      objects,
      publisher,
      createConsumer({
        kafka,
        group: name,
        handlers: handlers(ports),
        deadLetters: publisher,
        metrics,
        log,
        clock,
      }),
      createSweeper({ due: sessions.due, handle: handleDeadline(ports), log }),
      httpServer({ ...http, routes: api(ports), authenticate }),
    ];
  });
});
