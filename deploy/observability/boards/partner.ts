import { above, below, number, stack, timeline } from './panels.ts';
import { happening, inRange, of, perSecond, quantile, share } from './queries.ts';
import type { Board } from './types.ts';

const calls = 'gsb_partner_request_duration_seconds_count';

/** Of the stops that the partner confirmed. */
export const stopsInTime = number(
  'Stops confirmed within 5 min',
  share(
    inRange('gsb_stops_confirmed_total', '', { within: '~10s|5m' }),
    inRange('gsb_stops_confirmed_total'),
  ),
  { good: 'Above 99.99 %: the partner knows when play ended.', limits: below(0.9999, 0.999) },
);

/** What the partner does for us, and what it owes. */
export const partner: Board = {
  uid: 'gsb-partner',
  title: 'gsb: partner billing',
  about:
    'Does the partner answer, and is every second that was played billed? While it is away play goes on, and starts and stops are retried from the log. Good: circuits closed, nothing pending, no second unbilled.',
  rows: [
    {
      title: 'Calls',
      panels: [
        timeline(
          'Circuits',
          { '{{operation}}': `max by (operation) (${of('gsb_partner_circuit_state')})` },
          {
            good: '0 closed. 2 open: the partner is left alone for five seconds at a time; 1 half open: the next call tries it.',
            unit: 'short',
            limits: above(1, 2),
          },
        ),
        stack(
          'Calls by outcome',
          {
            '{{operation}} answered': perSecond(calls, 'operation', { outcome: 'answered' }),
            '{{operation}} failed': happening('gsb_partner_failed_calls_total', 'operation'),
          },
          {
            good: 'answered only; failed is the partner or the way to it.',
          },
        ),
        timeline(
          'p99 of a call',
          { '{{operation}}': quantile(0.99, 'gsb_partner_request_duration_seconds_bucket', 'operation') },
          { good: 'Below half a second.', unit: 's', limits: above(0.5, 2) },
        ),
        timeline(
          'In flight',
          { '{{operation}}': `sum by (operation) (${of('gsb_partner_in_flight_requests')})` },
          {
            good: 'Below the bulkhead of each pod: 8 for check and renew, 16 for start and stop, or partner.inFlight.',
            unit: 'short',
          },
        ),
        timeline(
          'Not called',
          { '{{operation}} {{reason}}': happening('gsb_partner_calls_refused_total', 'operation, reason') },
          {
            good: 'No line. circuit_open: it failed just now and is left alone; bulkhead_full: it is too slow.',
          },
        ),
        timeline(
          'Age of what is retried, p50',
          { '{{operation}}': quantile(0.5, 'gsb_partner_retry_age_seconds_bucket', 'operation') },
          { good: 'No line: nothing is retried.', unit: 's', limits: above(300, 3_600) },
        ),
      ],
    },
    {
      title: 'Billings',
      panels: [
        timeline(
          'What became of them',
          { '{{event}}': happening('gsb_billing_events_total', 'event') },
          {
            good: 'stopped follows started, renewed the heartbeats; no pending.',
          },
        ),
        stopsInTime,
        number(
          'Starts that are pending',
          `clamp_min(${inRange('gsb_billing_events_total', '', { event: 'pending' })} - ${inRange('gsb_billing_events_total', '', { event: '~confirmed.*' })}, 0)`,
          { good: '0: the partner has answered every start.', unit: 'short', limits: above(1, 100) },
        ),
        number(
          'Refused after play had begun',
          inRange('gsb_billing_events_total', '', { event: 'confirmed_refused' }),
          {
            good: '0. These seconds are lost to the cafe.',
            unit: 'short',
            limits: above(1, 10),
          },
        ),
      ],
    },
    {
      title: 'Seconds',
      panels: [
        timeline(
          'Seconds played and billed by second, by game',
          {
            'played {{game_id}}': happening('gsb_played_seconds_total', 'game_id'),
            'billed {{game_id}}': happening('gsb_billed_seconds_total', 'game_id'),
          },
          { good: 'One line on top of the other for each game.', unit: 'short' },
        ),
        number('Not billed', inRange('gsb_unbilled_seconds_total'), {
          good: 'Near 0.',
          unit: 's',
          limits: above(60, 3_600),
        }),
        number('Billed too much', inRange('gsb_overbilled_seconds_total'), {
          good: '0, always (I4).',
          unit: 's',
          limits: above(1, 1),
        }),
      ],
    },
  ],
};
