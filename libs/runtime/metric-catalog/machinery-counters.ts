import { end, ends, heartbeat, heartbeats } from '#libs/contracts/api/game.ts';
import { errors } from '#libs/contracts/errors.ts';
import { services, values } from './labels.ts';
import type { Metric } from './labels.ts';

/** The statuses of an item of a batch: those of the single call, whose caller is known. */
const itemStatuses = (): string[] => {
  const refusals = [...heartbeat.errors, ...end.errors].filter((code) => code !== 'INVALID_API_KEY');
  return [...new Set([200, 400, ...refusals.map((code) => errors[code].status)])].sort().map(String);
};

/** What the libraries count. Failures have counters beside their histograms: of these a label begins with its first failures, which are no increase then. */
export const machinery = {
  gsb_http_refusals_total: {
    help: 'Answers with an error, by its code (spec part 7).',
    emittedBy: services.withHttp,
    labels: { code: values.errorCode },
  },
  gsb_http_failed_responses_total: {
    help: 'Answers that may be failures of ours, by route, method and status: 429, 500 and 503.',
    emittedBy: services.withHttp,
    labels: {
      http_route: values.route,
      http_request_method: values.method,
      http_response_status_code: values.failure,
    },
  },
  gsb_http_batch_items_total: {
    help: 'Items of batches (D-41) by the status that each was answered with: the batch itself is answered 200.',
    emittedBy: ['game-session'],
    labels: { http_route: [heartbeats.path, ends.path], http_response_status_code: itemStatuses() },
  },
  gsb_http_shed_requests_total: {
    help: 'Requests that were refused because the process cannot keep up, before anything was done for them but that a body may have been read (D-46).',
    emittedBy: services.withHttp,
    labels: { http_route: values.route },
  },
  gsb_kafka_failed_publishes_total: {
    help: 'Times that an event, or those of one moment, did not get into the log, or not in time.',
    emittedBy: services.oneByOne,
    labels: { topic: values.written },
  },
  gsb_kafka_dead_letters_total: {
    help: 'Messages that became dead letters.',
    emittedBy: services.all,
    labels: { topic: values.read, reason: ['unreadable', 'failed'] },
  },
  gsb_kafka_rebalances_total: {
    help: 'Times that a consumer was given its partitions.',
    emittedBy: services.all,
    labels: { group: values.group },
  },
  gsb_redis_failed_commands_total: {
    help: 'Redis commands that were refused, or not answered in time.',
    emittedBy: services.withRedis,
    labels: {},
  },
  gsb_postgres_failed_statements_total: {
    help: 'SQL statements that failed; denied: Postgres answers, and refuses who asks.',
    emittedBy: ['settlement'],
    labels: { outcome: ['failed', 'denied'] },
  },
  gsb_partner_failed_calls_total: {
    help: 'Calls that the partner did not answer, or not as the contract says.',
    emittedBy: ['billing-adapter'],
    labels: { operation: values.operation },
  },
  gsb_view_rebuilds_total: {
    help: 'Times that the hot view was rebuilt from the log.',
    emittedBy: services.withRedis,
    labels: {},
  },
  gsb_sweeper_postponed_records_total: {
    help: 'Due records that could not be handled, or did not exist.',
    emittedBy: services.withRedis,
    labels: {},
  },
  gsb_sweeper_handled_records_total: {
    help: 'Due records that sweeps took up.',
    emittedBy: services.withRedis,
    labels: {},
  },
} as const satisfies Record<string, Metric>;
