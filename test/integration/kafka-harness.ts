import { randomUUID } from 'node:crypto';
import type { EventName } from '#libs/contracts/events.ts';
import { topics } from '#libs/contracts/topics.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import { createBatchConsumer } from '#libs/kafka/consumer/batch-consumer.ts';
import { connectKafka } from '#libs/kafka/connection.ts';
import type { KafkaConnection } from '#libs/kafka/connection.ts';
import { createConsumer } from '#libs/kafka/consumer/consumer.ts';
import type { Handlers } from '#libs/kafka/consumer/event-handler.ts';
import { createPublisher } from '#libs/kafka/producer/publisher.ts';
import type { Publisher } from '#libs/kafka/producer/publisher.ts';
import type { ReceivedEvent } from '#libs/contracts/delivery.ts';
import { ensureTopics } from '#libs/kafka/admin/ensure-topics.ts';
import { withLogReader } from '#libs/kafka/replay/log-reader.ts';
import { createLog } from '#libs/runtime/log.ts';
import type { Log } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Fatal, Component } from '#libs/runtime/service.ts';

/** The suite's brokers. */
export const suiteBrokers = (): string[] => (process.env['KAFKA_BROKERS'] ?? '').split(',');

/** A valid event for these tests; its address is its key. */
export const check = (ip: string, checkId: string = randomUUID()) => ({ checkId, ip });

/** The product's topics under a prefix of this test alone, and components that use them; `close` stops them all. */
export interface Playground {
  readonly kafka: KafkaConnection;
  readonly lines: readonly string[];
  readonly metrics: Metrics;
  readonly log: Log;
  publisher(): Promise<Publisher & Component>;
  consumer(group: string, handlers: Handlers, deadLetters?: Pick<Publisher, 'publish'>): Promise<Component>;
  batchConsumer<N extends EventName>(
    names: N[],
    handle: (batch: readonly ReceivedEvent<N>[]) => Promise<void>,
    deadLetters?: Pick<Publisher, 'publish'>,
  ): Promise<Component>;
  /** Starts any other component, and stops it with the rest. */
  adopt<P extends Component>(part: P, fatal: Fatal): Promise<P>;
  close(): Promise<void>;
}

/** Opens a playground with the topics that a test needs, on the suite's brokers or its own. */
export const openPlayground = async (
  names: readonly TopicName[],
  brokers = suiteBrokers(),
): Promise<Playground> => {
  const prefix = `test-${randomUUID().slice(0, 8)}.`;
  const wanted = Object.fromEntries(
    [...names, 'dead-letters.v1' as const].map((name) => [name, topics[name]]),
  );
  const lines: string[] = [];
  const log = createLog({ service: 'test', instance: 'test', level: 'debug' }, (line) => lines.push(line));
  const metrics = createMetrics('test');
  const running: Component[] = [];
  const kafka = connectKafka({ brokers, clientId: 'test', log, prefix });
  const start = async <P extends Component>(
    part: P,
    fatal: Fatal = (error) => lines.push(`fatal: ${String(error)}`),
  ): Promise<P> => {
    running.push(part);
    await part.start(fatal);
    return part;
  };
  const positions = { advance: async () => undefined, current: async () => [] };
  const quiet: Pick<Publisher, 'publish'> = { publish: async () => undefined };
  const shared = { kafka, metrics, log, clock: Date.now };
  await ensureTopics({ brokers, topics: wanted, prefix });
  return {
    kafka,
    lines,
    metrics,
    log,
    publisher: () => start(createPublisher({ ...shared, source: 'test' })),
    consumer: (group, handlers, deadLetters = quiet) =>
      start(createConsumer({ ...shared, group, handlers, deadLetters })),
    batchConsumer: (events, handle, deadLetters = quiet) =>
      start(createBatchConsumer({ ...shared, group: 'batches', events, handle, positions, deadLetters })),
    adopt: start,
    close: async () => {
      for (const part of running.reverse()) await part.stop();
    },
  };
};

/** How many messages are on a topic. */
export const messagesOn = async ({ kafka }: Playground, topic: TopicName): Promise<number> => {
  const ranges = await withLogReader({ kafka, topics: [topic] }, (reader) => reader.rangesSince(0));
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
};
