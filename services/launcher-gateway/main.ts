import { createHotView } from '#libs/records/hot-view.ts';
import { createMassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { createTally } from '#libs/records/tally.ts';
import { operatorNotices } from '#libs/runtime/operator-notices.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import { countEvents } from '#libs/runtime/count-events.ts';
import { limitsOf } from '#libs/runtime/settings.ts';
import { keptTraceparent } from '#libs/runtime/tracing.ts';
import { createSingleFlight } from '#libs/runtime/single-flight.ts';
import { connectEdge } from '#libs/wiring/edge.ts';
import { runKafkaService } from '#libs/wiring/kafka-service.ts';
import { launcherCallers } from './adapters/authenticate.ts';
import { launcherCounts, launcherNotes, launcherTally } from './adapters/count-launchers.ts';
import { redisCafeCache } from './adapters/redis-cafe-cache.ts';
import {
  adoptLaunchers,
  launchersPrefix,
  redisLauncherSessions,
} from './adapters/redis-launcher-sessions.ts';
import { launcherRateLimits } from './adapters/launcher-rate-limits.ts';
import { redisNonces } from './adapters/redis-nonces.ts';
import { cryptoTokens } from './adapters/token-crypto.ts';
import { api } from './api.ts';
import { schema } from './config.ts';
import { silenceMs } from './core/launcher-session.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { handleDeadline } from './usecases/handle-deadline.ts';

/** A token waits for the partner as long as it may take to answer; a heartbeat is told from what it said last (D-45). */
const addressWaits = { checkMs: 4_000, ownTokenCheckMs: 2_500, ownBeatCheckMs: 500 };
const waits = { ...addressWaits, ottMs: 4_000, publishMs: 1_500 };
/** Where the events of a launcher session and its tokens are (D-63). */
const inPlay = ['launcher-sessions.v1', 'ott-requests.v1', 'ott-issuances.v1', 'otts.v1'] as const;
const use = { name: 'launcher', kinds: ['Game', 'Secret'], writesStatus: false, inPlay } as const;
const service = { name: 'launcher-gateway', schema, env: process.env, clock: Date.now };

runKafkaService(service, (context) => {
  const { config, kafka, log, metrics, consumer, security } = context;
  const edge = connectEdge(context, use);
  const { redis, catalog } = edge;
  const limits = limitsOf(config);
  const view = createHotView({
    ...{ ...context, redis, prefix: launchersPrefix },
    ...{ live: 'expiries', amnestyMs: silenceMs(limits) },
    ...{ rebuild: adoptLaunchers, notice: operatorNotices.viewAdopted },
    onStale: () => nonces.forgetServer(),
  });
  const forms = { packs: config.REDIS_PACKED };
  const guards = { trust: view, massExpiryGuard: createMassExpiryGuard(context) };
  const sessions = redisLauncherSessions(redis, limits, { ...guards, ...forms });
  const rateLimits = launcherRateLimits(edge.rateLimiter, config, catalog);
  const ports: Ports = {
    ...edge.messaging,
    publish: countEvents(edge.messaging.publish, launcherCounts(metrics)),
    ...{ limits, waits, traceparent: keptTraceparent },
    sessions,
    catalog,
    rateLimits,
    cafeCache: redisCafeCache(redis),
    checks: createSingleFlight(),
    tokens: cryptoTokens({ ...forms, seals: !kafka.bundles }),
    ...{ ids: edge.ids, notes: launcherNotes(metrics, security) },
  };
  const nonces = redisNonces(redis, view, forms);
  const checks = { authorities: config.SIGNED_AUTHORITIES, useNonce: nonces.use };
  const authenticate = launcherCallers({ ...ports, ...context, ...edge, ...forms, ...checks, rateLimits });
  return [
    ...edge.components,
    view,
    consumer({ handlers: handlers(ports) }),
    createTally({ ...context, redis, prefix: launchersPrefix, ...launcherTally(metrics, catalog) }),
    createPeriodicTask({ name: 'nonces', run: nonces.noteServer, log }),
    createSweeper({ ...context, records: sessions, handle: handleDeadline(ports) }),
    edge.server({ routes: api(ports, context), authenticate }),
  ];
});
