import { setTimeout as sleep } from 'node:timers/promises';
import { connectKafka } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer.ts';
import { createPublisher } from '#libs/kafka/producer.ts';
import { readConfig } from '#libs/runtime/config.ts';
import { conversation } from '#libs/runtime/conversation.ts';
import { runMain } from '#libs/runtime/main.ts';
import { startProcess } from '#libs/runtime/process.ts';
import { kafkaAccess } from '#libs/runtime/settings.ts';
import { httpPartner } from './adapters/http-partner.ts';
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
    const { partner, connections } = httpPartner({
      url: config.PARTNER_URL,
      token: config.PARTNER_TOKEN,
      metrics,
      log,
    });
    const ports: Ports = {
      partner,
      clock,
      random: Math.random,
      deadlineMs: () => conversation()?.deadlineMs,
      sleepUntil: (atMs) => sleep(Math.max(0, atMs - clock()), undefined, { ref: false }),
      publish: publisher.publish,
    };
    const consumer = { kafka, deadLetters: publisher, metrics, log, clock };
    const retries = { 'billing-retry.scheduled': retryBilling(ports) };
    return [
      connections,
      publisher,
      createConsumer({ ...consumer, group: name, handlers: handlers(ports) }),
      createConsumer({ ...consumer, group: `${name}-retries`, handlers: retries }),
    ];
  });
});
