import { above, below, number, stack, timeline } from './panels.ts';
import { happening, highestOf, of, ofAllGames, perSecond, quantile, share, slowest } from './queries.ts';
import type { Board } from './types.ts';

const ledger = { service_name: 'settlement' } as const;
/** The ledger's rows are not counted by game. */
const ended = ofAllGames('gsb_sessions_ended_total');
const entries = of('gsb_ledger_rows_total', { kind: 'entry' });

/** While nothing is written nothing has an age: how many ended in the last half hour without an entry. */
export const notInLedger = number(
  'Ended, not in the ledger',
  `clamp_min(sum(increase(${ended}[30m])) - sum(increase(${entries}[30m])), 0)`,
  { good: 'Near 0, of the last half hour.', unit: 'short', limits: above(10, 20) },
);

/** What was played, written down once. */
export const settlement: Board = {
  uid: 'gsb-settlement',
  title: 'gsb: settlement',
  about:
    'Is what was played in the ledger, once, and soon? Good: as many entries as sessions ended, seconds old, and every one confirmed by the partner.',
  rows: [
    {
      title: 'The ledger',
      panels: [
        timeline(
          'Sessions ended, entries and confirmations',
          {
            ended: `sum(rate(${ended}[$__rate_interval]))`,
            '{{kind}}': perSecond('gsb_ledger_rows_total', 'kind'),
          },
          { good: 'Three lines on top of each other.' },
        ),
        number(
          'Entries for each ended session',
          share(`sum(increase(${entries}[$__range]))`, `sum(increase(${ended}[$__range]))`),
          { good: '100 %, give or take what ended in the last seconds.', limits: below(0.99, 0.9) },
        ),
        notInLedger,
        timeline(
          'Age of what is written',
          {
            p50: quantile(0.5, 'gsb_kafka_event_age_seconds_bucket', '', ledger),
            p99: quantile(0.99, 'gsb_kafka_event_age_seconds_bucket', '', ledger),
          },
          { good: 'Below a second. No line: nothing is written.', unit: 's', limits: above(30, 300) },
        ),
        timeline(
          'Lag',
          { '{{topic}}': `sum by (topic) (${of('gsb_kafka_lag_messages', ledger)})` },
          {
            good: 'Near 0. One that climbs is a ledger that takes nothing.',
            unit: 'short',
          },
        ),
        timeline(
          'Oldest event in hand',
          { 'not written for': `max(${of('gsb_kafka_in_hand_age_seconds', ledger)})` },
          {
            good: 'Near 0. One that climbs: Postgres is away, or refuses.',
            unit: 's',
            limits: above(10, 60),
          },
        ),
      ],
    },
    {
      title: 'Closings',
      panels: [
        number('Oldest day not closed is over for', `max(${of('gsb_unclosed_day_age_seconds')})`, {
          good: 'Below half a day: the nightly job closes yesterday.',
          unit: 'dtdurations',
          limits: above(43_200, 86_400),
        }),
        number(
          'Sessions of the last closing that differ',
          `(max(${of('gsb_last_closing_sessions', { records: 'differ' })}) / (max(${of('gsb_last_closing_sessions', { records: 'agree' })}) + max(${of('gsb_last_closing_sessions', { records: 'differ' })}) > 0)) or vector(0)`,
          { good: 'Below 0.1 %.', limits: above(0.001, 0.01) },
        ),
        number(
          'Sessions that came after their day was closed',
          `max(${of('gsb_last_closing_adjustments')})`,
          {
            good: 'Near 0; they are adjustments (D-30).',
            unit: 'short',
            limits: above(10, 1_000),
          },
        ),
        number('Closed without the partner', `max(${of('gsb_last_closing_without_partner')})`, {
          good: '0: its own statement was compared (D-29).',
          unit: 'short',
          limits: above(1, 1),
        }),
      ],
    },
    {
      title: 'What the last closing found',
      panels: [
        stack(
          'Differences by cause',
          { '{{cause}}': highestOf('gsb_last_closing_differences', 'cause') },
          { good: 'None of the partner; some that the game measured differently.', unit: 'short' },
        ),
        timeline(
          'Sessions and their agreement',
          { '{{records}}': `max by (records) (${of('gsb_last_closing_sessions')})` },
          { good: 'Nearly all agree.', unit: 'short' },
        ),
        timeline(
          'Seconds of a day',
          { seconds: `max(${of('gsb_last_closing_seconds')})` },
          { good: 'Follows the weekday.', unit: 'dtdurations' },
        ),
      ],
    },
    {
      title: 'Postgres',
      panels: [
        timeline(
          'p99 of a statement, the five slowest',
          { '{{statement}}': slowest(5, 'gsb_postgres_statement_duration_seconds_bucket', 'statement') },
          { good: 'Milliseconds.', unit: 's', limits: above(0.5, 2) },
        ),
        timeline(
          'Statements',
          { ok: perSecond('gsb_postgres_statement_duration_seconds_count', '', { outcome: 'ok' }) },
          { good: 'Follows the players.' },
        ),
        timeline(
          'Statements that failed',
          { '{{outcome}}': happening('gsb_postgres_failed_statements_total', 'outcome') },
          { good: 'No line. failed: Postgres is away or slow; denied: a right is lacking.' },
        ),
        timeline(
          'Connections',
          { '{{use}} {{state}}': `sum by (use, state) (${of('gsb_postgres_pool_connections')})` },
          {
            good: 'None waiting; a replica has eight to read with and four to write with.',
            unit: 'short',
          },
        ),
      ],
    },
    {
      title: 'Operators',
      panels: [
        timeline(
          'Calls',
          {
            '{{http_route}} {{http_response_status_code}}': perSecond(
              'http_server_request_duration_seconds_count',
              'http_route, http_response_status_code',
              ledger,
            ),
          },
          { good: 'No 5xx.' },
        ),
      ],
    },
  ],
};
