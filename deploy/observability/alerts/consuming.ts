import { extreme, look, series } from './expressions.ts';
import { slowly } from './log.ts';
import type { Alert } from './types.ts';

const inHand = 'gsb_kafka_in_hand_age_seconds';
/** Retries are in hand for as long as they wait for their turn. */
const notWaiting = { group: '!billing-adapter-retries' } as const;

/** Who reads the log and stands still. */
export const consuming: readonly Alert[] = [
  {
    name: 'GsbConsumerStuck',
    severity: 'page',
    owner: 'platform',
    expr: `time() - ${extreme('max', 'gsb_kafka_last_fetch_timestamp_seconds', {}, 'group')} > 60`,
    for: '2m',
    summary: 'No consumer of {{ $labels.group }} has asked Kafka for events for a minute.',
    board: 'gsb-kafka',
    runbook: {
      meaning:
        'The poll loop stands still: Kafka is away, the group cannot be joined, it is paused because too much is in hand, or Postgres takes nothing from settlement.',
      impact: `What the group handles waits. ${slowly}`,
      diagnosis: [
        look('billing-adapter', 'gsb_kafka_last_fetch'),
        look('billing-adapter', 'gsb_kafka_in_hand'),
        look('billing-adapter', 'gsb_kafka_rebalances'),
      ],
      mitigation: [
        'Of settlement: it waits for Postgres, see GsbPostgresFailing and GsbPostgresDenies, and goes on by itself.',
        'Kafka that is away: bring it back, the consumers go on. Otherwise restart the pods: their liveness does so after a minute.',
      ],
    },
    proof: {
      firing: series('gsb_kafka_last_fetch_timestamp_seconds', { group: 'ott' }, '0x66'),
      resting: series('gsb_kafka_last_fetch_timestamp_seconds', { group: 'ott' }, '0+60x66'),
      afterMin: 10,
    },
  },
  {
    name: 'GsbEventsStuck',
    severity: 'page',
    owner: 'platform',
    expr: `${extreme('max', inHand, notWaiting, 'group')} > 60`,
    for: '2m',
    summary:
      'A replica of {{ $labels.group }} has had an event in hand for a minute and is not done with it.',
    board: 'gsb-kafka',
    runbook: {
      meaning:
        'The event was fetched, and its handler does not come to an end: a store takes nothing, or it is tried again and again. One replica is enough.',
      impact: `What comes after it in its partition, or for its key, waits on the log. ${slowly} Of settlement: the ledger is behind, and nothing is lost.`,
      diagnosis: [
        look('settlement', inHand),
        look('settlement', 'gsb_kafka_lag_messages'),
        look('billing-adapter', inHand),
        'The log of the replica names the reason: `an event is tried again`, or `a batch is tried again`.',
      ],
      mitigation: [
        'Of settlement: it waits for Postgres, see GsbPostgresFailing and GsbPostgresDenies, and goes on by itself. Of the others: GsbRedisAway, GsbPublishFailing.',
        'Without any of these, and in one replica alone: restart it. The event is handled again.',
      ],
    },
    proof: {
      firing: series(inHand, { group: 'settlement' }, '0x5 0+60x60'),
      resting: {
        ...series(inHand, { group: 'settlement' }, '0.4x66'),
        ...series(inHand, { group: 'billing-adapter-retries' }, '600x66'),
      },
      afterMin: 15,
    },
  },
];
