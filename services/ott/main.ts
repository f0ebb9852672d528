import { connectKafka } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { createHotView } from '#libs/records/hot-view.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import { kafkaAccess, limitsOf } from '#libs/runtime/settings.ts';
import { acceptedTokenMemory } from './adapters/accepted-token-memory.ts';
import { ottsFromLog } from './adapters/otts-from-log.ts';
import { ottsPrefix, redisOtts } from './adapters/redis-otts.ts';
import { redisUnbilledPlay } from './adapters/redis-unbilled-play.ts';
import { cryptoTokens } from './adapters/token-crypto.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { handleDeadline } from './usecases/handle-deadline.ts';
import { rebuildHotView } from './usecases/rebuild-hot-view.ts';

const name = 'ott';
const clock = Date.now;

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics, instance }) => {
    const limits = limitsOf(config);
    const kafka = connectKafka({ ...kafkaAccess(config), clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const redis = connectRedis({ url: config.REDIS_URL, log, metrics });
    const recentLog = ottsFromLog(kafka, limits);
    const rebuild = (signal: AbortSignal) => rebuildHotView(ports)(signal);
    const view = createHotView({
      redis: redis.client,
      prefix: ottsPrefix,
      instance,
      amnestyMs: 0,
      rebuild,
      log,
      metrics,
    });
    const otts = redisOtts(redis.client, view);
    const accepted = acceptedTokenMemory({ recentLog, memoryMs: 2 * limits.ottTtlSec * 1000, clock, log });
    const unbilled = redisUnbilledPlay(redis.client);
    const ports: Ports = {
      limits: { ...limits, unbilledCapSec: config.UNBILLED_CAP_SEC },
      otts,
      recentLog,
      accepted,
      unbilled,
      tokens: cryptoTokens,
      publish: publisher.publish,
    };
    const consumer = createConsumer({
      ...{ kafka, group: name, handlers: handlers(ports), deadLetters: publisher, metrics, log, clock },
      onAssigned: accepted.refill,
    });
    const sweeper = createSweeper({ due: otts.due, handle: handleDeadline(ports), log });
    return [redis, publisher, view, accepted, consumer, sweeper];
  });
});
