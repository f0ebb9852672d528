import { SpanKind } from '@opentelemetry/api';
import type { Gather, Outgoing, Publish, PublishAll, PublishOptions } from '#libs/contracts/delivery.ts';
import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import type { TopicName } from '#libs/contracts/topics.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Log } from '#libs/runtime/log.ts';
import type { Metrics } from '#libs/runtime/metrics.ts';
import type { Component } from '#libs/runtime/service.ts';
import { inSpan } from '#libs/runtime/tracing.ts';
import type { KafkaConnection } from '../connection.ts';
import { encodeEvent } from '../encode-event.ts';
import type { EncodedRecord } from '../encode-event.ts';
import { createAppendOne } from './append-one.ts';
import type { Append } from './append-one.ts';
import { createGather } from './gathered-events.ts';
import { createIdempotentProducer } from './idempotent-producer.ts';
import { createPartitionLeaders } from './partition-leaders.ts';
import { placedBy } from './partition-of-key.ts';
import { createProducerBuffer } from './producer-buffer.ts';
import type { ProducerBuffer, ProducerBufferOptions, Wait } from './producer-buffer.ts';

const defaultTimeoutMs = 30_000;

/** Publishes events for the other services. */
export interface Publisher {
  publish: Publish;
  publishAll: PublishAll;
  gather: Gather;
  /** The partition of a key on the topic of an event; undefined while it is not known. */
  partitionOf(name: EventName, key: string): number | undefined;
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

const waitOf = (options: PublishOptions, nowMs: number): Wait => ({
  deadlineMs: deadlineOf(options, nowMs),
  isUrgent: options.timeoutMs !== undefined || options.request?.deadlineMs !== undefined,
  lingers: options.lingers,
});

/** Where an event is written: while readers are about that know neither bundles nor topics that came later, where they read it (D-39, D-54). */
const topicOf = ({ bundles }: KafkaConnection, name: EventName): TopicName => {
  const { topic, formerTopic = topic } = events[name];
  return bundles ? topic : formerTopic;
};

const measure = (metrics: Metrics) => {
  const durations = metrics.histogram('gsb_kafka_publish_duration_seconds');
  const failed = metrics.counter('gsb_kafka_failed_publishes_total');
  return async (topic: string, work: () => Promise<void>): Promise<void> => {
    const started = performance.now();
    let outcome = 'failed';
    try {
      await work();
      outcome = 'ok';
    } finally {
      durations.observe({ topic, outcome }, (performance.now() - started) / 1000);
      if (outcome === 'failed') failed.inc({ topic });
    }
  };
};

/** A buffer, with how much waits in it and for how long, and how many events share a request. */
const measuredBuffer = (
  options: Pick<ProducerBufferOptions, 'send' | 'leaders' | 'clock'>,
  metrics: Metrics,
): ProducerBuffer => {
  const queued = metrics.gauge('gsb_kafka_publish_queue_messages');
  const age = metrics.gauge('gsb_kafka_publish_queue_age_seconds');
  const batches = metrics.histogram('gsb_kafka_publish_batch_messages');
  const onSize = (size: number): void => queued.set(size);
  const onRequest = (events: number): void => batches.observe(events);
  const buffer = createProducerBuffer({ ...options, onSize, onRequest });
  metrics.beforeText(() => age.set(buffer.oldestMs() / 1000));
  return buffer;
};

/**
 * The publisher of one service: idempotent, and in order for each key where one event is awaited before the next. One request is in flight
 * to each broker, and the next carries all that was appended meanwhile.
 */
export const createPublisher = ({
  kafka,
  source,
  metrics,
  log,
  clock,
}: PublisherOptions): Publisher & Component => {
  const leaders = createPartitionLeaders();
  const producer = createIdempotentProducer(kafka, leaders, log);
  const measured = measure(metrics);
  const buffer = measuredBuffer({ send: producer.send, leaders, clock }, metrics);
  const encoderOf = <N extends EventName>(name: N) => {
    const topic = kafka.onCluster(topicOf(kafka, name));
    const origin = { source: `/gsb/${source}`, nowMs: clock() };
    return (each: Outgoing<N>): EncodedRecord => ({
      topic,
      ...encodeEvent(name, each, origin),
    });
  };
  const append: Append = (name, records, options) =>
    measured(topicOf(kafka, name), () => buffer.append(records, waitOf(options, clock())));
  const appendOne = createAppendOne(append, leaders);
  return {
    name: 'publisher',
    start: producer.connect,
    stop: async () => {
      await buffer.close();
      await producer.disconnect();
    },
    publish: (name, data, options = {}) => {
      const { request } = options;
      const attributes = { 'gsb.event': name };
      const work = async () => appendOne(name, encoderOf(name)({ data, request }), options);
      return inSpan(`publish ${topicOf(kafka, name)}`, { kind: SpanKind.PRODUCER, attributes }, work);
    },
    publishAll: async (name, all, options = {}) => append(name, all.map(encoderOf(name)), options),
    gather: createGather({ encoderOf, append, bundles: kafka.bundles }),
    partitionOf: (name, key) => leaders.partitionOf(kafka.onCluster(topicOf(kafka, name)), placedBy(key)),
  };
};
