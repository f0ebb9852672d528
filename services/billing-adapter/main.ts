import { countAllEvents, countEvents } from '#libs/runtime/count-events.ts';
import { createGiveWay } from '#libs/runtime/give-way.ts';
import { partnerProxy } from '#libs/runtime/partner-settings.ts';
import { runKafkaService } from '#libs/wiring/kafka-service.ts';
import { activeRetries } from './adapters/active-retries.ts';
import { createAnsweredTogether } from './adapters/answered-together.ts';
import { billingCounts, countUnsaidRenewals } from './adapters/count-billings.ts';
import { partnerClient } from './adapters/partner-client.ts';
import { partnerTransport } from './adapters/partner-transport.ts';
import { recentRefusals } from './adapters/recent-refusals.ts';
import { recentStops } from './adapters/recent-stops.ts';
import { createRetryRateLimiter } from './adapters/retry-rate-limiter.ts';
import { inFlightOf, schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { retryBilling } from './usecases/retry-billing.ts';

const service = { name: 'billing-adapter', schema, env: process.env, clock: Date.now };

runKafkaService(service, ({ config, kafka, log, metrics, clock, consumer, publisher }) => {
  const inFlight = inFlightOf(config);
  const http = partnerTransport({
    ...{ url: config.PARTNER_URL, token: config.PARTNER_TOKEN, proxy: partnerProxy(config) },
    ...{ inFlight, metrics, log },
  });
  const skipped = metrics.counter('gsb_partner_renewals_skipped_total');
  const counts = billingCounts(metrics, clock);
  const ports: Ports = {
    partner: partnerClient(http, inFlight.renew),
    renewalSkipped: () => skipped.inc(),
    renewedUnsaid: countUnsaidRenewals(metrics),
    clock,
    random: Math.random,
    together: createAnsweredTogether(),
    giveWay: createGiveWay(),
    retryTurn: createRetryRateLimiter({ http, clock, perSecond: config.PARTNER_RETRIES_PER_SEC }),
    refusals: recentRefusals(),
    retries: activeRetries(clock),
    stops: recentStops(clock),
    publish: countEvents(publisher.publish, counts),
    publishAll: countAllEvents(publisher.publishAll, counts),
  };
  /**
   * Stops wait on the log for their turn, twice as many as have a connection (D-60), and nothing waits for heartbeats (D-27); not where heartbeats
   * are on the topic of stops, for versions that know no other.
   */
  const atOnce = { 'game-sessions.v1': 2 * inFlight.stop, 'heartbeats.v1': Infinity };
  const retries = { 'billing-retry.scheduled': retryBilling(ports) };
  return [
    { name: 'partner', start: async () => undefined, stop: http.close },
    publisher,
    consumer({ handlers: handlers(ports), ...(kafka.bundles && { atOnce }) }),
    consumer({ handlers: retries, group: `${service.name}-retries` }),
  ];
});
