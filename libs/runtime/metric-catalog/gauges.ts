import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { services, values } from './labels.ts';
import type { Metric } from './labels.ts';

/** Gauges. */
export const gauges = {
  gsb_live_records: {
    help: 'Live sessions: game sessions in game-session, launcher sessions in launcher-gateway. Every replica sees all of them.',
    emittedBy: services.atTheEdge,
    labels: {},
  },
  gsb_game_sessions: {
    help: 'Game sessions by state and game, those that are over as long as they are remembered (D-49). Every replica tells all of them.',
    emittedBy: ['game-session'],
    labels: { state: gameSession.shape.state.options, game_id: 'games' },
  },
  gsb_heartbeat_interval_seconds: {
    help: 'How often each game session is to send a heartbeat, as it is configured.',
    emittedBy: ['game-session'],
    labels: {},
  },
  gsb_launcher_sessions: {
    help: 'Live launcher sessions by how many PCs their cafe has (D-49). Every replica tells all of them.',
    emittedBy: ['launcher-gateway'],
    labels: { cafe_size: values.cafeSize },
  },
  gsb_view_rebuild_duration_seconds: {
    help: 'How long the last rebuild of the hot view took.',
    emittedBy: services.withRedis,
    labels: {},
  },
  gsb_view_rebuild_records: {
    help: 'Live records in the hot view after its last rebuild, all replicas together.',
    emittedBy: services.withRedis,
    labels: {},
  },
  gsb_sweeper_last_run_timestamp_seconds: {
    help: 'When a sweep last ended well.',
    emittedBy: services.withRedis,
    labels: {},
  },
  gsb_sweeper_paused: {
    help: 'Too many are late at once: 1 while none expires, 2 while they do at a bounded rate.',
    emittedBy: services.atTheEdge,
    labels: {},
  },
  gsb_sweeper_overdue_records: {
    help: 'Records whose expiry is due.',
    emittedBy: services.atTheEdge,
    labels: {},
  },
  gsb_partner_circuit_state: {
    help: '0 closed, 1 half open: the next call tries the partner, 2 open.',
    emittedBy: ['billing-adapter'],
    labels: { operation: values.operation },
  },
  gsb_partner_in_flight_requests: {
    help: 'Requests that the partner is answering.',
    emittedBy: ['billing-adapter'],
    labels: { operation: values.operation },
  },
  gsb_kafka_publish_queue_messages: {
    help: 'Events waiting for the log to take them.',
    emittedBy: services.all,
    labels: {},
  },
  gsb_kafka_publish_queue_age_seconds: {
    help: 'For how long the oldest event that waits for the log has waited; 0 while none does.',
    emittedBy: services.all,
    labels: {},
  },
  gsb_kafka_in_hand_messages: {
    help: 'Events fetched and not yet done.',
    emittedBy: services.oneByOne,
    labels: { group: values.group },
  },
  gsb_kafka_in_hand_age_seconds: {
    help: 'For how long the oldest event that was fetched and is not done has been in hand; 0 while none is.',
    emittedBy: services.all,
    labels: { group: values.group },
  },
  gsb_kafka_lag_messages: {
    help: 'Messages of the partition that the group has not done, of which each may carry several events (D-39), as the log and its commits say, whether or not its consumer fetches.',
    emittedBy: services.all,
    labels: { group: values.group, topic: values.read, partition: values.partition },
  },
  gsb_kafka_last_fetch_timestamp_seconds: {
    help: 'When the consumer last asked for events.',
    emittedBy: services.all,
    labels: { group: values.group },
  },
  gsb_catalog_refused_objects: {
    help: 'Objects of the catalogue that are refused, by kind, while their last accepted versions stay in force (D-32); of a folder, the problems of its files.',
    emittedBy: services.withHttp,
    labels: { kind: ['Game', 'Secret', 'Operator', 'file'] },
  },
  gsb_catalog_keys_run_out_timestamp_seconds: {
    help: 'When the first game or operator of the catalogue will have no valid key left; 0: none will, as far as the service reads them.',
    emittedBy: services.withHttp,
    labels: { kind: ['Game', 'Operator'] },
  },
  gsb_redis_connected: {
    help: '1 while Redis is connected, 0 while it is not.',
    emittedBy: services.withRedis,
    labels: {},
  },
  gsb_postgres_pool_connections: {
    help: 'Connections of the pool by state, and queries that wait for one.',
    emittedBy: ['settlement'],
    labels: { use: ['read', 'write'], state: ['busy', 'idle', 'waiting'] },
  },
  gsb_unclosed_day_age_seconds: {
    help: 'How long ago the oldest day with entries ended that is not closed; 0: none is over.',
    emittedBy: ['settlement'],
    labels: {},
  },
  gsb_last_closing_sessions: {
    help: 'Sessions of the day that was closed last, by whether all records of them agree.',
    emittedBy: ['settlement'],
    labels: { records: ['agree', 'differ'] },
  },
  gsb_last_closing_seconds: {
    help: 'Seconds of the sessions of the day that was closed last.',
    emittedBy: ['settlement'],
    labels: {},
  },
  gsb_last_closing_adjustments: {
    help: 'Sessions of earlier days that the last closing had to add (D-30).',
    emittedBy: ['settlement'],
    labels: {},
  },
  gsb_last_closing_differences: {
    help: 'Differences that the last closing found, by their cause.',
    emittedBy: ['settlement'],
    labels: { cause: values.differenceCause },
  },
  gsb_last_closing_without_partner: {
    help: '1 when the last closing was made without the statement of the partner (D-29).',
    emittedBy: ['settlement'],
    labels: {},
  },
} as const satisfies Record<string, Metric>;
