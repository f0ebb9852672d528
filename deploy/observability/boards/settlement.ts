import { above, below, number, stack, timeline } from './panels.ts';
import { inRange, of, perSecond, quantile, share } from './queries.ts';
import type { Board } from './types.ts';

const ledger = { service_name: 'settlement' } as const;

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
            ended: perSecond('gsb_sessions_ended_total'),
            '{{kind}}': perSecond('gsb_ledger_rows_total', 'kind'),
          },
          { good: 'Three lines on top of each other.' },
        ),
        number(
          'Entries for each ended session',
          share(inRange('gsb_ledger_rows_total', '', { kind: 'entry' }), inRange('gsb_sessions_ended_total')),
          { good: '1.', limits: below(0.99, 0.9) },
        ),
        timeline(
          'Age of what is written',
          {
            p50: quantile(0.5, 'gsb_kafka_event_age_seconds_bucket', '', ledger),
            p99: quantile(0.99, 'gsb_kafka_event_age_seconds_bucket', '', ledger),
          },
          { good: 'Below a second.', unit: 's', limits: above(30, 300) },
        ),
        timeline(
          'Lag',
          { '{{topic}}': `sum by (topic) (${of('gsb_kafka_lag_messages', ledger)})` },
          {
            good: 'Near 0.',
            unit: 'short',
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
          { '{{cause}}': `max by (cause) (${of('gsb_last_closing_differences')})` },
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
          { good: 'Follows the weekday.', unit: 's' },
        ),
      ],
    },
    {
      title: 'Postgres',
      panels: [
        timeline(
          'p99 of a statement',
          { '{{statement}}': quantile(0.99, 'gsb_postgres_statement_duration_seconds_bucket', 'statement') },
          { good: 'Milliseconds.', unit: 's', limits: above(0.5, 2) },
        ),
        timeline(
          'Statements',
          { '{{outcome}}': perSecond('gsb_postgres_statement_duration_seconds_count', 'outcome') },
          { good: 'ok.' },
        ),
        timeline(
          'Connections',
          { '{{state}}': `sum by (state) (${of('gsb_postgres_pool_connections')})` },
          {
            good: 'None waiting; ten a replica at most.',
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
