import { services, values } from './labels.ts';
import type { Metric } from './labels.ts';

/** A request to a broker carries 2,000 events at most. */
const batchBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000];
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 2.5, 5, 10];
const storeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const ageBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 120, 300];
/** A token lives for 60 s. */
const tokenAgeBuckets = [1, 2, 5, 10, 15, 20, 30, 45, 60];
/** A call is retried for two days at most. */
const retryAgeBuckets = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 172_800];

/** Histograms of durations and ages, in seconds, and of how many come at once. `exemplars`: a bucket names a trace that fell into it. */
export const histograms = {
  http_server_request_duration_seconds: {
    help: 'Time from the last byte of a request to its answer.',
    emittedBy: services.withHttp,
    labels: {
      http_route: values.route,
      http_request_method: values.method,
      http_response_status_code: values.status,
    },
    buckets: requestBuckets,
    exemplars: true,
  },
  gsb_kafka_publish_batch_messages: {
    help: 'Events that were sent to a broker in one request.',
    emittedBy: services.all,
    labels: {},
    buckets: batchBuckets,
  },
  gsb_kafka_publish_duration_seconds: {
    help: 'Time from publishing an event, or those of one moment, until the log has it.',
    emittedBy: services.oneByOne,
    labels: { topic: values.written, outcome: values.outcome },
    buckets: requestBuckets,
  },
  gsb_kafka_handle_duration_seconds: {
    help: 'Time that a handler took for one event, or a bundle, tries included.',
    emittedBy: services.oneByOne,
    labels: { event: values.event, outcome: ['ok', 'dead'] },
    buckets: requestBuckets,
  },
  gsb_kafka_event_age_seconds: {
    help: 'Age of a message when the handler of the last of its events began; in settlement, when the ledger had it.',
    emittedBy: services.all,
    labels: { topic: values.read },
    buckets: ageBuckets,
  },
  gsb_redis_script_duration_seconds: {
    help: 'Time that a Redis script or command took.',
    emittedBy: services.withRedis,
    labels: { script: values.command, outcome: values.outcome },
    buckets: storeBuckets,
  },
  gsb_postgres_statement_duration_seconds: {
    help: 'Time that a SQL statement took.',
    emittedBy: ['settlement'],
    labels: { statement: values.statement, outcome: values.storeOutcome },
    buckets: storeBuckets,
  },
  gsb_partner_request_duration_seconds: {
    help: 'Time that a call to the partner took.',
    emittedBy: ['billing-adapter'],
    labels: { operation: values.operation, outcome: ['answered', 'failed'] },
    buckets: requestBuckets,
    exemplars: true,
  },
  gsb_partner_retry_age_seconds: {
    help: 'How long ago a call to the partner failed first, when its next try was scheduled.',
    emittedBy: ['billing-adapter'],
    labels: { operation: values.retriedOperation },
    buckets: retryAgeBuckets,
  },
  gsb_ott_claim_age_seconds: {
    help: 'Age of a one-time token when a verify claimed it.',
    emittedBy: ['ott'],
    labels: {},
    buckets: tokenAgeBuckets,
  },
} as const satisfies Record<string, Metric & { buckets: readonly number[]; exemplars?: true }>;
