import { hash } from 'node:crypto';
import { createHotView } from '#libs/records/hot-view.ts';
import { createMassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import { createSweeper } from '#libs/records/sweeper.ts';
import { createTally } from '#libs/records/tally.ts';
import { createPeriodicTask } from '#libs/runtime/periodic-task.ts';
import { limitsOf } from '#libs/runtime/settings.ts';
import { connectEdge } from '#libs/wiring/edge.ts';
import { runKafkaService } from '#libs/wiring/kafka-service.ts';
import { sessionCounts, sessionNotes, sessionTally } from './adapters/count-sessions.ts';
import { gameRateLimits } from './adapters/game-rate-limits.ts';
import { heartbeatsLater } from './adapters/heartbeats-later.ts';
import { knownBalances } from './adapters/known-balances.ts';
import { redisIdempotency } from './adapters/redis-idempotency.ts';
import { redisPendingEvents } from './adapters/redis-pending-events.ts';
import { redisSessions, sessionsPrefix } from './adapters/redis-sessions.ts';
import { currentTrace, linkedToSession, sessionEvents } from './adapters/session-trace.ts';
import { sessionsFromLog } from './adapters/sessions-from-log.ts';
import { apiKeyCaller } from './adapters/authenticate.ts';
import { api } from './api.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { handleDeadline } from './usecases/handle-deadline.ts';
import { handleDeadlines } from './usecases/handle-deadlines.ts';
import { publishPending } from './usecases/publish-pending.ts';
import { rebuildHotView } from './usecases/rebuild-hot-view.ts';

/** An end or a heartbeat is answered when the log has its event, or without it after `publishMs` (D-23). */
const fixedWaits = { verifyMs: 5_000, publishMs: 1_500 };
/** Where the events of a game session are (D-63), but for the retries of billing-adapter, which are not this service's to see. */
const inPlay = [
  ...(['ott-presentations.v1', 'ott-refusals.v1'] as const),
  ...(['billing.v1', 'renewals.v1', 'heartbeats.v1'] as const),
  ...(['game-sessions.v1', 'game-session-changes.v1'] as const),
] as const;
const service = { name: 'game-session', schema, env: process.env, clock: Date.now };
/** Records that are not packed have no common kind: each is decided on alone. */
const whenDue = (ports: Ports, packs: boolean) => ({
  ...(packs && { handleTogether: handleDeadlines(ports) }),
  handle: handleDeadline(ports),
});
const sha256 = (text: string) => hash('sha256', text);

runKafkaService(service, (context) => {
  const { config, kafka, log, metrics, clock, consumer, publisher, security } = context;
  const edge = connectEdge(context, { name: 'game', kinds: ['Game'], writesStatus: true, inPlay });
  const { redis } = edge;
  const limits = limitsOf(config);
  const view = createHotView({
    ...context,
    ...{ redis, prefix: sessionsPrefix, live: 'expiries' },
    amnestyMs: (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000,
    rebuild: (signal, shared) => rebuildHotView(ports)(signal, shared),
  });
  const guards = { trust: view, massExpiryGuard: createMassExpiryGuard(context), packs: config.REDIS_PACKED };
  const rateLimits = gameRateLimits(edge.rateLimiter, config);
  const sessions = redisSessions(redis, limits, { ...guards, heartbeats: rateLimits.heartbeats });
  const pending = redisPendingEvents(redis, context.instance, clock);
  const later = heartbeatsLater({ publisher, pending, clock, log, timeoutMs: fixedWaits.publishMs });
  const ports: Ports = {
    ...edge.messaging,
    ...linkedToSession(edge.messaging.requestTogether, later),
    // Where heartbeats share their topic with ends, for versions that know no other, none may come after an end (D-60).
    balances: knownBalances({ awaitedPerSec: kafka.bundles ? config.HEARTBEATS_AWAITED_PER_SEC : Infinity }),
    ...sessionEvents(publisher, sessionCounts(metrics)),
    ...{ limits, sessions, rateLimits, pending },
    waits: { ...fixedWaits, heartbeatMs: config.HEARTBEAT_BILLING_WAIT_MS },
    recentLog: sessionsFromLog(kafka, limits),
    idempotency: redisIdempotency(redis),
    ...{ tokens: { hash: sha256 }, ids: edge.ids },
    ...{ traceparent: currentTrace, notes: sessionNotes(metrics, security) },
  };
  const authenticate = { 'api-key': apiKeyCaller({ ...edge, rateLimits, security }) };
  return [
    ...edge.components,
    later,
    view,
    consumer({ handlers: handlers(ports) }),
    createSweeper({ ...context, records: sessions, ...whenDue(ports, config.REDIS_PACKED) }),
    createTally({ ...context, redis, prefix: sessionsPrefix, ...sessionTally(metrics, edge.catalog) }),
    createPeriodicTask({ name: 'pending events', run: publishPending(ports), log }),
    edge.server({ routes: api(ports, context), authenticate }),
  ];
});
