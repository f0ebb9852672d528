import { connectKafka } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { runMain } from '#libs/runtime/run-main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import { kafkaAccess } from '#libs/runtime/settings.ts';
import { activeRetries } from './adapters/active-retries.ts';
import { partnerClient } from './adapters/partner-client.ts';
import { partnerTransport } from './adapters/partner-transport.ts';
import { recentRefusals } from './adapters/recent-refusals.ts';
import { createRetryRateLimiter } from './adapters/retry-rate-limiter.ts';
import { schema } from './config.ts';
import { handlers } from './events.ts';
import type { Ports } from './ports.ts';
import { retryBilling } from './usecases/retry-billing.ts';

const name = 'billing-adapter';
const clock = Date.now;

runMain(async () => {
  const config = readConfig(schema, process.env);
  await startProcess(name, config, ({ log, metrics }) => {
    const kafka = connectKafka({ ...kafkaAccess(config), clientId: name, log });
    const publisher = createPublisher({ kafka, source: name, metrics, log, clock });
    const http = partnerTransport({ url: config.PARTNER_URL, token: config.PARTNER_TOKEN, metrics, log });
    const skipped = metrics.counter('gsb_partner_renewals_skipped_total');
    const ports: Ports = {
      partner: partnerClient(http),
      renewalSkipped: () => skipped.inc(),
      clock,
      random: Math.random,
      retryTurn: createRetryRateLimiter({ http, clock, perSecond: config.PARTNER_RETRIES_PER_SEC }),
      refusals: recentRefusals(),
      retries: activeRetries(),
      publish: publisher.publish,
    };
    const consumer = { kafka, deadLetters: publisher, metrics, log, clock };
    const retries = { 'billing-retry.scheduled': retryBilling(ports) };
    return [
      { name: 'partner', start: async () => undefined, stop: http.close },
      publisher,
      createConsumer({ ...consumer, group: name, handlers: handlers(ports) }),
      createConsumer({ ...consumer, group: `${name}-retries`, handlers: retries }),
    ];
  });
});
