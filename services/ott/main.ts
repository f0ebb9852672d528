import { connectKafka } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { createView } from '#libs/records/hot-view.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { conversation } from '#libs/runtime/request-context.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import { kafkaAccess, limitsOf } from '#libs/runtime/settings.ts';
import { acceptedTokens } from './adapters/accepted-token-memory.ts';
import { logPast } from './adapters/otts-from-log.ts';
import { ottsPrefix, redisOtts } from './adapters/redis-otts.ts';
import { redisUnbilled } from './adapters/redis-unbilled-play.ts';
import { cryptoTokens } from './adapters/token-crypto.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { closeDue } from './usecases/handle-deadline.ts';
import { rebuildView } from './usecases/rebuild-hot-view.ts';

const name = 'ott';
const clock = Date.now;

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics, instance }) => {
    const limits = limitsOf(config);
    const kafka = connectKafka({ ...kafkaAccess(config), clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const redis = connectRedis({ url: config.REDIS_URL, log, metrics });
    const past = logPast(kafka, limits);
    const rebuild = (signal: AbortSignal) => rebuildView(ports)(signal);
    const view = createView({
      redis: redis.client,
      prefix: ottsPrefix,
      instance,
      amnestyMs: 0,
      rebuild,
      log,
      metrics,
    });
    const otts = redisOtts(redis.client, view);
    const accepted = acceptedTokens({ past, memoryMs: 2 * limits.ottTtlSec * 1000, clock, log });
    const unbilled = redisUnbilled(redis.client);
    const ports: Ports = {
      limits: { ...limits, unbilledCapSec: config.UNBILLED_CAP_SEC },
      otts,
      past,
      accepted,
      unbilled,
      deadlineMs: () => conversation()?.deadlineMs,
      tokens: cryptoTokens,
      publish: publisher.publish,
    };
    const consumer = createConsumer({
      ...{ kafka, group: name, handlers: handlers(ports), deadLetters: publisher, metrics, log, clock },
      onAssigned: accepted.refill,
    });
    const sweeper = createSweeper({ due: otts.due, handle: closeDue(ports), log });
    return [redis, publisher, view, accepted, consumer, sweeper];
  });
});
