const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const storeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1] as const;
const ageBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300] as const;

/** Histograms of durations and ages, in seconds. Labels are enums, never ids, addresses or users. */
export const histograms = {
  http_server_request_duration_seconds: {
    help: 'Time from the last byte of a request to its answer.',
    labels: ['http_route', 'http_request_method', 'http_response_status_code'],
    buckets: requestBuckets,
  },
  gsb_kafka_publish_duration_seconds: {
    help: 'Time from publishing an event until the log has it.',
    labels: ['topic', 'outcome'],
    buckets: requestBuckets,
  },
  gsb_kafka_handle_duration_seconds: {
    help: 'Time that a handler took for one event, tries included.',
    labels: ['event', 'outcome'],
    buckets: requestBuckets,
  },
  gsb_kafka_event_age_seconds: {
    help: 'Age of an event when its handler began.',
    labels: ['topic'],
    buckets: ageBuckets,
  },
  gsb_redis_script_duration_seconds: {
    help: 'Time that a Redis script or command took.',
    labels: ['script', 'outcome'],
    buckets: storeBuckets,
  },
  gsb_postgres_statement_duration_seconds: {
    help: 'Time that a SQL statement took.',
    labels: ['statement', 'outcome'],
    buckets: storeBuckets,
  },
  gsb_partner_request_duration_seconds: {
    help: 'Time that a call to the partner took.',
    labels: ['operation', 'outcome'],
    buckets: requestBuckets,
  },
} as const;

/** Counters. */
export const counters = {
  gsb_kafka_dead_letters_total: { help: 'Messages that became dead letters.', labels: ['topic', 'reason'] },
  gsb_partner_renewals_skipped_total: { help: 'Renewals that the partner did not answer.', labels: [] },
  gsb_view_rebuilds_total: { help: 'Times that the hot view was rebuilt from the log.', labels: [] },
  gsb_sweeper_postponed_records_total: {
    help: 'Due records that could not be handled, or did not exist.',
    labels: [],
  },
  gsb_kafka_rebalances_total: { help: 'Times that a consumer was given its partitions.', labels: ['group'] },
} as const;

/** Gauges. */
export const gauges = {
  gsb_view_rebuild_duration_seconds: { help: 'How long the last rebuild of the hot view took.', labels: [] },
  gsb_partner_circuit_state: { help: '0 closed, 1 half open, 2 open.', labels: ['operation'] },
  gsb_partner_in_flight_requests: { help: 'Requests that the partner is answering.', labels: ['operation'] },
  gsb_sweeper_paused: {
    help: 'Too many would expire at once: 1 while none does, 2 while they do at a bounded rate.',
    labels: [],
  },
  gsb_sweeper_overdue_records: { help: 'Records whose expiry is due.', labels: [] },
  gsb_kafka_publish_queue_messages: { help: 'Events waiting for the log to take them.', labels: [] },
  gsb_kafka_in_hand_messages: { help: 'Events fetched and not yet done.', labels: ['group'] },
  gsb_kafka_lag_messages: {
    help: 'Events of the partition that this consumer has not fetched.',
    labels: ['group', 'topic', 'partition'],
  },
  gsb_kafka_last_fetch_timestamp_seconds: {
    help: 'When the consumer last asked for events.',
    labels: ['group'],
  },
} as const;
