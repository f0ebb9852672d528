import { connectKafka } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer.ts';
import { createPublisher } from '#libs/kafka/producer.ts';
import { connectRedis } from '#libs/redis/connection.ts';
import { createSweeper } from '#libs/redis/sweeper.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import { limitsOf } from '#libs/runtime/settings.ts';
import { redisOtts } from './adapters/redis-otts.ts';
import { cryptoTokens } from './adapters/tokens.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { closeDue } from './usecases/close-due.ts';

const name = 'ott';
const clock = Date.now;

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics }) => {
    const kafka = connectKafka({ brokers: config.KAFKA_BROKERS, clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const redis = connectRedis({ url: config.REDIS_URL, log, metrics });
    const otts = redisOtts(redis.client);
    const ports: Ports = { limits: limitsOf(config), otts, tokens: cryptoTokens, publish: publisher.publish };
    return [
      redis,
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
      createSweeper({ due: otts.due, handle: closeDue(ports), log }),
    ];
  });
});
