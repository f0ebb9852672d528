import { createHash, randomUUID } from 'node:crypto';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { openObjects } from '#libs/catalog/open-catalog.ts';
import { openapiOf } from '#libs/http/openapi.ts';
import { httpServer } from '#libs/http/server.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import { createRequest } from '#libs/messaging/request.ts';
import { createMassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { createReplyRouter } from '#libs/messaging/reply-router.ts';
import type { ReplyRouter } from '#libs/messaging/reply-router.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import type { ProcessContext } from '#libs/runtime/process.ts';
import { httpAccess, kafkaAccess, limitsOf } from '#libs/runtime/settings.ts';
import { sessionsFromLog } from './adapters/sessions-from-log.ts';
import { redisIdempotency } from './adapters/redis-idempotency.ts';
import { redisSessions, sessionsPrefix } from './adapters/redis-sessions.ts';
import { redisPendingEvents } from './adapters/redis-pending-events.ts';
import { currentTrace, inSessionTrace } from './adapters/session-trace.ts';
import { api, apiKeyCaller } from './api.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { handleDeadline } from './usecases/handle-deadline.ts';
import { rebuildHotView } from './usecases/rebuild-hot-view.ts';
import { publishPending } from './usecases/publish-pending.ts';

const name = 'game-session';
/** An end or a heartbeat is answered when the log has its event, or without it after `publishMs` (D-23). */
const fixedWaits = { verifyMs: 5_000, publishMs: 1_500 };
const clock = Date.now;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Drivers {
  readonly kafka: KafkaConnection;
  readonly redis: Redis;
  readonly publisher: Publisher;
  readonly replies: ReplyRouter;
}

const adapters = ({ kafka, redis, publisher, replies }: Drivers, limits: Limits) => ({
  limits,
  recentLog: sessionsFromLog(kafka, limits),
  pending: redisPendingEvents(redis, clock),
  tokens: { hash: sha256 },
  idempotency: redisIdempotency(redis),
  ids: { uuid: randomUUID },
  request: createRequest({ publish: publisher.publish, replies, clock }),
  publish: inSessionTrace(publisher.publish),
  traceparent: currentTrace,
  reply: replies.reply,
});

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics, instance }: ProcessContext) => {
    const kafka = connectKafka({ ...kafkaAccess(config), clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const redis = connectRedis({ url: config.REDIS_URL, log, metrics });
    const replies = createReplyRouter({ redis: redis.client, instance, clock, log });
    const objects = openObjects(config, { launcherKeys: false, writesStatus: true, log });
    const catalog = createCatalog(objects.objects, clock);
    const limits = limitsOf(config);
    const shared = { redis: redis.client, instance, log, metrics };
    const view = createHotView({
      ...shared,
      prefix: sessionsPrefix,
      amnestyMs: (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000,
      rebuild: (signal) => rebuildHotView(ports)(signal),
    });
    const sessions = redisSessions(redis.client, limits, {
      trust: view,
      massExpiryGuard: createMassExpiryGuard(shared),
    });
    const drivers = { kafka, redis: redis.client, publisher, replies };
    const waits = { ...fixedWaits, heartbeatMs: config.HEARTBEAT_BILLING_WAIT_MS };
    const ports: Ports = { waits, sessions, ...adapters(drivers, limits) };
    const document = openapiOf('game');
    const common = { kafka, metrics, log, clock };
    const http = { ...httpAccess(config), metrics, log, document };
    return [
      redis,
      replies,
      objects,
      publisher,
      view,
      createConsumer({ ...common, group: name, handlers: handlers(ports), deadLetters: publisher }),
      createSweeper({ due: sessions.due, handle: handleDeadline(ports), agree: sessions.agree, log }),
      createPeriodicTask({ name: 'pending events', run: publishPending(ports), log }),
      httpServer({ ...http, routes: api(ports), authenticate: { 'api-key': apiKeyCaller(catalog) } }),
    ];
  });
});
