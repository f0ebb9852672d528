import { counting, increased, look, observed, quantile, series } from './expressions.ts';
import type { Alert } from './types.ts';

const ages = 'gsb_kafka_event_age_seconds';
const publishing = 'gsb_kafka_publish_duration_seconds';
const failed = 'gsb_kafka_failed_publishes_total';
/** Retries wait on purpose, so their age says nothing. */
const notWaiting = { topic: '!billing-retries.v1' } as const;
const claims = { topic: 'ott-claims.v1', service_name: 'billing-adapter' } as const;
/** What it means for players that events wait. */
export const slowly =
  'Verifies are slow or 503; heartbeats and ends are answered from Redis meanwhile (D-23).';

/** What the log does not carry. */
export const log: readonly Alert[] = [
  {
    name: 'GsbEventsOld',
    severity: 'page',
    owner: 'platform',
    expr: `${quantile(0.99, `${ages}_bucket`, '3m', { by: 'service_name', matchers: { ...notWaiting, service_name: '!settlement' } })} > 120`,
    for: '3m',
    summary: '{{ $labels.service_name }} handles events that are two minutes old.',
    board: 'gsb-kafka',
    runbook: {
      meaning: 'Events wait: the consumer is too slow, was away, or a partition has no leader.',
      impact: slowly,
      diagnosis: [
        look('billing-adapter', 'gsb_kafka_lag_messages'),
        look('billing-adapter', 'gsb_kafka_in_hand_messages'),
        look('billing-adapter', 'gsb_kafka_last_fetch'),
      ],
      mitigation: [
        'Lag that falls: wait. Lag that grows with idle CPU: look at the partner (in hand is full). With full CPU: more replicas, up to the partitions.',
      ],
    },
    proof: {
      firing: observed(ages, claims, 300),
      resting: observed(ages, claims, 120),
      afterMin: 15,
    },
  },
  {
    name: 'GsbEventsAging',
    severity: 'ticket',
    owner: 'platform',
    expr: `${quantile(0.99, `${ages}_bucket`, '10m', { by: 'service_name', matchers: { ...notWaiting, service_name: '!settlement' } })} > 30`,
    for: '15m',
    summary: '{{ $labels.service_name }} handles events that are half a minute old.',
    board: 'gsb-kafka',
    runbook: {
      meaning: 'The same as GsbEventsOld, earlier and slower.',
      impact: slowly,
      diagnosis: [look('ott', 'gsb_kafka_lag_messages'), look('game-session', 'gsb_kafka_lag_messages')],
      mitigation: ['As for GsbEventsOld, without haste.'],
    },
    proof: {
      firing: observed(ages, claims, 60),
      resting: observed(ages, claims, 30),
      afterMin: 50,
    },
  },
  {
    name: 'GsbPublishFailing',
    severity: 'page',
    owner: 'platform',
    expr: `${increased(failed, '5m', {}, 'service_name')} > 5`,
    for: '1m',
    summary: '{{ $labels.service_name }} cannot write to Kafka.',
    board: 'gsb-kafka',
    runbook: {
      meaning: 'The log did not take events within the time that their callers wait.',
      impact:
        'Verify, session start and tokens are 503; heartbeats and ends stand and are published later (D-23).',
      diagnosis: [look('game-session', 'gsb_kafka_publish'), look('launcher-gateway', 'gsb_kafka_publish')],
      mitigation: [
        'Bring the brokers back; look at in-sync replicas and disks. What is pending is published by itself.',
      ],
    },
    proof: {
      firing: series(failed, { topic: 'ott-claims.v1' }, '0x5 0+5x60'),
      resting: series(failed, { topic: 'ott-claims.v1' }, '9x66'),
      afterMin: 15,
    },
  },
  {
    name: 'GsbPublishSlow',
    severity: 'ticket',
    owner: 'platform',
    expr: `${quantile(0.99, `${publishing}_bucket`, '5m', { by: 'service_name' })} > 1`,
    for: '5m',
    summary: 'Kafka takes longer than a second for events of {{ $labels.service_name }}.',
    board: 'gsb-kafka',
    runbook: {
      meaning: 'The 99th percentile of publishing is above a second; usually it is below 100 ms.',
      impact: 'Every call that waits for the log is slower by that.',
      diagnosis: [
        look('game-session', 'gsb_kafka_publish'),
        'Look at the brokers: disks, replication, elections.',
      ],
      mitigation: ['Move leaders away from the slow broker.'],
    },
    proof: {
      firing: observed(publishing, { topic: 'ott-claims.v1', outcome: 'ok' }, 2),
      resting: observed(publishing, { topic: 'ott-claims.v1', outcome: 'ok' }, 1),
      afterMin: 20,
    },
  },
  {
    name: 'GsbDeadLetters',
    severity: 'ticket',
    owner: 'platform',
    expr: `${increased('gsb_kafka_dead_letters_total', '15m', {}, 'topic')} > 0`,
    summary: 'Messages of {{ $labels.topic }} became dead letters.',
    board: 'gsb-kafka',
    runbook: {
      meaning:
        'A message could not be read, or its handler failed for good; it was set aside and blocks nobody.',
      impact: 'What it asked for has not happened.',
      diagnosis: ['`npm run dead-letters -- list`', '`npm run dead-letters -- show`'],
      mitigation: [
        'Remove the cause, look what would be replayed, then replay without `--dry-run`.',
        '`npm run dead-letters -- replay --all --dry-run`',
        'Of an unproven one the log has no original, or no more (D-70): look at it by `show --id`, and where it is true replay it by `--id` with `--unproven`.',
      ],
    },
    proof: counting('gsb_kafka_dead_letters_total', { topic: 'ott-claims.v1', reason: 'unreadable' }),
  },
];
