import { SpanKind } from '@opentelemetry/api';
import type { Publish, PublishOptions } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { inSpan } from '#libs/runtime/tracing.ts';
import type { KafkaConnection } from '../connection.ts';
import { encodeEvent } from '../encode-event.ts';
import { createIdempotentProducer } from './idempotent-producer.ts';
import { createPartitionLeaders } from './partition-leaders.ts';
import { createProducerBuffer } from './producer-buffer.ts';

const defaultTimeoutMs = 30_000;

/** Publishes events for the other services. */
export interface Publisher {
  publish: Publish;
}

/** What a publisher is made of; `source` is the service's name. */
export interface PublisherOptions {
  readonly kafka: KafkaConnection;
  readonly source: string;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
}

/** The work goes on after its caller has left: a deadline that has passed does not shorten the wait for the log. */
const deadlineOf = ({ request, timeoutMs = defaultTimeoutMs }: PublishOptions, nowMs: number): number => {
  const callerMs = request?.deadlineMs ?? 0;
  return callerMs > nowMs ? Math.min(callerMs, nowMs + timeoutMs) : nowMs + timeoutMs;
};

type Durations = ReturnType<typeof durationsOf>;

const durationsOf = (metrics: Metrics) => metrics.histogram('gsb_kafka_publish_duration_seconds');

const measured = async (durations: Durations, topic: string, work: () => Promise<void>): Promise<void> => {
  const started = performance.now();
  let outcome = 'failed';
  try {
    await work();
    outcome = 'ok';
  } finally {
    durations.observe({ topic, outcome }, (performance.now() - started) / 1000);
  }
};

/** The publisher of one service: idempotent, in order for each key; one request is in flight to each broker, and the next carries all that was appended meanwhile. */
export const createPublisher = ({
  kafka,
  source,
  metrics,
  log,
  clock,
}: PublisherOptions): Publisher & Component => {
  const leaders = createPartitionLeaders();
  const producer = createIdempotentProducer(kafka, leaders, log);
  const queued = metrics.gauge('gsb_kafka_publish_queue_messages');
  const durations = durationsOf(metrics);
  const onSize = (size: number): void => queued.set(size);
  const buffer = createProducerBuffer({ send: producer.send, leaders, onSize, clock });
  return {
    name: 'publisher',
    start: producer.connect,
    stop: async () => {
      await buffer.close();
      await producer.disconnect();
    },
    publish: (name, data, options = {}) => {
      const { topic } = events[name];
      const attributes = { 'gsb.event': name };
      return inSpan(`publish ${topic}`, { kind: SpanKind.PRODUCER, attributes }, async () => {
        const nowMs = clock();
        const message = encodeEvent(name, data, {
          source: `/gsb/${source}`,
          nowMs,
          request: options.request,
        });
        const isUrgent = options.timeoutMs !== undefined || options.request?.deadlineMs !== undefined;
        const address = { topic: kafka.onCluster(topic), deadlineMs: deadlineOf(options, nowMs), isUrgent };
        await measured(durations, topic, () => buffer.append({ ...address, ...message }));
      });
    },
  };
};
