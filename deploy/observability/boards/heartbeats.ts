import { above, below, number, stack, timeline } from './panels.ts';
import { happening, inRange, of, perSecond, quantile, share } from './queries.ts';
import type { Board } from './types.ts';

/** One at a time, and in batches (D-41). */
const beat = { http_route: '~/v1/game/sessions?/heartbeat' } as const;
/** Of sessions that live: a heartbeat of one that is over is received as well, and keeps nobody. */
const kept = { result: '~OK|CHARGE_EXHAUSTED' } as const;
const interval = `max(${of('gsb_heartbeat_interval_seconds')})`;
const live = `max(sum by (instance) (${of('gsb_game_sessions', { state: '~active|charge_exhausted' })}))`;

/** Whether play is kept alive. */
export const heartbeats: Board = {
  uid: 'gsb-heartbeats',
  title: 'gsb: heartbeats',
  about:
    'Is play kept alive? Every live session is to send a heartbeat in each interval (120 s, where nothing else is configured). Good: received equals expected, answers are `OK`, and they take a few milliseconds.',
  rows: [
    {
      title: 'Heartbeats',
      panels: [
        timeline(
          'Received and expected',
          { received: perSecond('gsb_heartbeats_total', '', kept), expected: `${live} / ${interval}` },
          {
            good: 'One line on top of the other. Those for sessions that are over are not among the received.',
          },
        ),
        stack(
          'By answer',
          { '{{result}}': happening('gsb_heartbeats_total', 'result') },
          {
            good: 'OK. CHARGE_EXHAUSTED: a cafe has to top up; SESSION_NOT_FOUND: sessions expired.',
          },
        ),
        stack(
          'Sessions by state',
          {
            '{{state}}': `max by (state) (sum by (state, instance) (${of('gsb_game_sessions', { state: '!ended' })}))`,
          },
          {
            good: 'Nearly all active; charge_exhausted is within its grace, ending waits for the partner.',
            unit: 'short',
          },
        ),
        timeline(
          'By game',
          { '{{game_id}}': happening('gsb_heartbeats_total', 'game_id') },
          {
            good: 'Each follows its players; a game that drops to 0 has an outage.',
          },
        ),
        timeline(
          'Time to answer',
          {
            p50: quantile(0.5, 'http_server_request_duration_seconds_bucket', '', beat),
            p99: quantile(0.99, 'http_server_request_duration_seconds_bucket', '', beat),
          },
          {
            good: 'p99 below half a second. While the partner is away each that waits for it does so for HEARTBEAT_BILLING_WAIT_MS (D-62).',
            unit: 's',
            limits: above(0.5, 2),
          },
        ),
      ],
    },
    {
      title: 'Billing goes on',
      panels: [
        timeline(
          'Renewals',
          {
            renewed: perSecond('gsb_billing_events_total', '', { event: 'renewed' }),
            skipped: perSecond('gsb_partner_renewals_skipped_total'),
            'not waited for': perSecond('gsb_heartbeats_not_awaited_total'),
          },
          {
            good: 'renewed follows the heartbeats; skipped are left to the next one (D-12); in a crowd nearly none is waited for (D-62).',
          },
        ),
        timeline(
          'Balances',
          {
            exhausted: perSecond('gsb_sessions_exhausted_total'),
            'topped up in time': perSecond('gsb_sessions_recovered_total'),
          },
          { good: 'Few are exhausted, most of them top up.' },
        ),
        number('Heartbeats after an expiry', inRange('gsb_late_heartbeats_total'), {
          good: '0: nobody who plays has expired (I5).',
          unit: 'short',
          limits: above(1, 10),
        }),
        number(
          'Sessions that a heartbeat keeps',
          `clamp_max(${share(`${perSecond('gsb_heartbeats_total', '', kept)} * ${interval}`, live)}, 1)`,
          { good: 'Near 100 %.', limits: below(0.9, 0.8) },
        ),
      ],
    },
  ],
};
