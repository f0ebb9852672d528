import { above, below, number, timeline } from './panels.ts';
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
