import { createHash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createCatalog } from '#libs/catalog/catalog.ts';
import { watchFolder } from '#libs/catalog/folder.ts';
import { apis } from '#libs/contracts/document/apis.ts';
import { openapi } from '#libs/contracts/document/openapi.ts';
import { httpServer } from '#libs/http/server.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer.ts';
import { createPublisher } from '#libs/kafka/producer.ts';
import type { Publisher } from '#libs/kafka/producer.ts';
import { createAsk } from '#libs/redis/ask.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import { redisReplies } from '#libs/redis/replies.ts';
import type { Replies } from '#libs/redis/replies.ts';
import { createSweeper } from '#libs/redis/sweeper.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { conversation } from '#libs/runtime/conversation.ts';
import { runMain } from '#libs/runtime/main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import type { Equipment } from '#libs/runtime/process.ts';
import { limitsOf } from '#libs/runtime/settings.ts';
import { redisAnswers } from './adapters/redis-answers.ts';
import { redisSessions } from './adapters/redis-sessions.ts';
import { currentTrace, inSessionTrace } from './adapters/session-trace.ts';
import { api, apiKeyCaller } from './api.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { closeDue } from './usecases/close-due.ts';

const name = 'game-session';
const verifyWaitMs = 5_000;
const clock = Date.now;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Drivers {
  readonly redis: Redis;
  readonly publisher: Publisher;
  readonly replies: Replies;
}

const adapters = ({ redis, publisher, replies }: Drivers) => ({
  tokens: { hash: sha256 },
  answers: redisAnswers(redis),
  ids: { uuid: randomUUID },
  ask: createAsk({ publish: publisher.publish, replies, clock }),
  publish: inSessionTrace(publisher.publish),
  traceparent: currentTrace,
  tell: (outcome: unknown) => replies.tell(conversation(), outcome),
});

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics, instance }: Equipment) => {
    const kafka = connectKafka({ brokers: config.KAFKA_BROKERS, clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const redis = connectRedis({ url: config.REDIS_URL, log, metrics });
    const replies = redisReplies({ redis: redis.client, instance, clock, log });
    const folder = watchFolder(config.CATALOG_DIR, log);
    const catalog = createCatalog(folder.objects, clock);
    const limits = limitsOf(config);
    const sessions = redisSessions(redis.client, limits);
    const drivers = { redis: redis.client, publisher, replies };
    const waits = { verifyMs: verifyWaitMs, heartbeatMs: config.HEARTBEAT_BILLING_WAIT_MS };
    const ports: Ports = { limits, waits, sessions, ...adapters(drivers) };
    const document = openapi(apis.game);
    const http = { host: config.BIND_HOST, port: config.HTTP_PORT, metrics, log, clock, document };
    return [
      redis,
      replies,
      folder,
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
      createSweeper({ due: sessions.due, handle: closeDue(ports), log }),
      httpServer({ ...http, routes: api(ports), authenticate: { 'api-key': apiKeyCaller(catalog) } }),
    ];
  });
});
