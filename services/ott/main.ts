import { createHotView } from '#libs/records/hot-view.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { redisAccess } from '#libs/runtime/redis-settings.ts';
import { countEvents } from '#libs/runtime/count-events.ts';
import { limitsOf } from '#libs/runtime/settings.ts';
import { keptTraceparent } from '#libs/runtime/tracing.ts';
import { runKafkaService } from '#libs/wiring/kafka-service.ts';
import { waitingRedis } from '#libs/wiring/waiting-redis.ts';
import { acceptedTokenMemory } from './adapters/accepted-token-memory.ts';
import { tokenCounts } from './adapters/count-tokens.ts';
import { ottsFromLog } from './adapters/otts-from-log.ts';
import { ottsPrefix, redisOtts } from './adapters/redis-otts.ts';
import { redisAnswered } from './adapters/redis-answered.ts';
import { redisUnbilledPlay } from './adapters/redis-unbilled-play.ts';
import { linkedToToken } from './adapters/token-trace.ts';
import { cryptoTokens } from './adapters/token-crypto.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { handleDeadline } from './usecases/handle-deadline.ts';
import { rebuildHotView } from './usecases/rebuild-hot-view.ts';

const service = { name: 'ott', schema, env: process.env, clock: Date.now };

runKafkaService(service, (context) => {
  const { config, kafka, log, metrics, clock, consumer, publisher } = context;
  const limits = limitsOf(config);
  const redis = waitingRedis({ server: redisAccess(config), log, metrics });
  const recentLog = ottsFromLog(kafka, limits);
  const view = createHotView({
    ...context,
    redis: redis.client,
    prefix: ottsPrefix,
    live: 'deadlines',
    amnestyMs: 0,
    rebuild: (signal, shared) => rebuildHotView(ports)(signal, shared),
  });
  const otts = redisOtts(redis.client, limits, { trust: view, packs: config.REDIS_PACKED });
  const accepted = acceptedTokenMemory({ recentLog, memoryMs: 2 * limits.ottTtlSec * 1000, clock, log });
  const ports: Ports = {
    limits: { ...limits, unbilledCapSec: config.UNBILLED_CAP_SEC },
    otts,
    recentLog,
    accepted,
    answered: redisAnswered(redis.client, limits),
    unbilled: redisUnbilledPlay(redis.client),
    tokens: cryptoTokens,
    publish: countEvents(linkedToToken(publisher.publish), tokenCounts(metrics)),
    traceparent: keptTraceparent,
  };
  return [
    redis,
    publisher,
    view,
    accepted,
    consumer({ handlers: handlers(ports), onAssigned: accepted.refill }),
    createSweeper({ ...context, records: otts, handle: handleDeadline(ports) }),
  ];
});
