import { SpanKind } from '@opentelemetry/api';
import { events } from '#libs/contracts/events.ts';
import type { EventData, EventName } from '#libs/contracts/events.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import { requestContext } from '#libs/runtime/request-context.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { inSpan } from '#libs/runtime/tracing.ts';
import type { KafkaConnection } from '../connection.ts';
import { encodeEvent } from '../envelope.ts';
import { createProducerBuffer } from './producer-buffer.ts';
import { createIdempotentProducer } from './idempotent-producer.ts';

const defaultTimeoutMs = 30_000;

/** Says events to the other services. */
export interface Publisher {
  /**
   * Resolves when the log has the event (acknowledged by all replicas in sync). Refuses UNAVAILABLE when it has not by the deadline of
   * the conversation, or for 30 s without one; whether the log gets it then is not known. Throws ZodError when the data is not as the contract says.
   */
  publish<N extends EventName>(name: N, data: EventData<N>): Promise<void>;
}

/** What a publisher is made of; `source` is the service's name. */
export interface PublisherOptions {
  readonly kafka: KafkaConnection;
  readonly source: string;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: Clock;
}

/** Work goes on after the caller has left: a deadline that has passed already is not the publication's. */
const deadlineAfter = (nowMs: number): number => {
  const callerMs = requestContext()?.deadlineMs ?? 0;
  return callerMs > nowMs ? Math.min(callerMs, nowMs + defaultTimeoutMs) : nowMs + defaultTimeoutMs;
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

/** The publisher of one service: idempotent, in order for each key, one request in flight that carries all that came meanwhile. */
export const createPublisher = ({
  kafka,
  source,
  metrics,
  log,
  clock,
}: PublisherOptions): Publisher & Component => {
  const sender = createIdempotentProducer({ kafka, log });
  const queued = metrics.gauge('gsb_kafka_publish_queue_messages');
  const durations = durationsOf(metrics);
  const outbox = createProducerBuffer({ send: sender.send, onSize: (size) => queued.set(size), clock });
  return {
    name: 'publisher',
    start: sender.connect,
    stop: async () => {
      await outbox.close();
      await sender.disconnect();
    },
    publish: (name, data) => {
      const { topic } = events[name];
      return inSpan(
        `publish ${topic}`,
        { kind: SpanKind.PRODUCER, attributes: { 'gsb.event': name } },
        async () => {
          const envelope = encodeEvent(name, data, { source: `/gsb/${source}`, nowMs: clock() });
          const letter = { topic: kafka.onCluster(topic), ...envelope, deadlineMs: deadlineAfter(clock()) };
          await measured(durations, topic, () => outbox.post(letter));
        },
      );
    },
  };
};
