import { failuresOf, operations } from '../operations.ts';
import { above, number, stack, timeline } from './panels.ts';
import { anyPerSecond, happening, highestOf, of, orZero, perSecond, quantile } from './queries.ts';
import type { Board } from './types.ts';

const unchecked = perSecond('gsb_session_starts_unchecked_total');
const start = { http_route: '/v1/session/start' } as const;

/** Whether launchers get in. */
export const sessionStart: Board = {
  uid: 'gsb-session-start',
  title: 'gsb: session start',
  about:
    'Do launchers get in? A start needs a right **signature**, an address of **the cafe**, and the **partner** or the cache to say so. Good: nearly all starts are `ok`, and answers take less than a second.',
  rows: [
    {
      title: 'Starts',
      panels: [
        stack(
          'Starts by answer',
          { '{{result}}': happening('gsb_session_starts_total', 'result') },
          {
            good: 'ok; NOT_PC_CAFE is a cafe whose address has changed, UNAVAILABLE is a check that failed (below) or a store of ours.',
          },
        ),
        timeline(
          'Time to answer',
          {
            p50: quantile(0.5, 'http_server_request_duration_seconds_bucket', '', start),
            p99: quantile(0.99, 'http_server_request_duration_seconds_bucket', '', start),
          },
          { good: 'p99 below a second.', unit: 's', limits: above(1, 4) },
        ),
        number('Launcher sessions', `max(${of('gsb_live_records', { service_name: 'launcher-gateway' })})`, {
          good: 'Follows the time of day.',
          unit: 'short',
        }),
        stack(
          'Live launchers by the size of their cafe',
          { '{{cafe_size}}': highestOf('gsb_launcher_sessions', 'cafe_size') },
          {
            good: 'Each band follows the time of day; one that breaks off is cafes of one kind or chain.',
            unit: 'short',
          },
        ),
        timeline(
          'Launcher sessions begin, lapse and end',
          { '{{event}}': happening('gsb_launcher_session_events_total', 'event') },
          { good: 'Few lapse: a lapse is a PC that was switched off, or a cafe without network.' },
        ),
      ],
    },
    {
      title: 'Who is refused',
      panels: [
        stack(
          'Signatures',
          { '{{reason}}': happening('gsb_signature_refusals_total', 'reason') },
          {
            good: 'None. outside_window: a clock is wrong; mismatch: an old secret; replayed: an attack, or a proxy that repeats.',
          },
        ),
        stack(
          'Addresses',
          { '{{decision}}': happening('gsb_client_addresses_total', 'decision') },
          {
            good: 'accepted. untrusted or not_public for all at once: clientIp of the chart does not fit the load balancer.',
          },
        ),
      ],
    },
    {
      title: 'The partner says whose address it is',
      panels: [
        timeline(
          'Checks',
          {
            answered: perSecond('gsb_partner_request_duration_seconds_count', '', {
              ...{ operation: 'check', outcome: 'answered' },
            }),
            failed: happening('gsb_partner_failed_calls_total', '', { operation: 'check' }),
          },
          { good: 'answered only. failed: launchers from addresses that are not in the cache are 503.' },
        ),
        timeline(
          'Time of a check',
          { p99: quantile(0.99, 'gsb_partner_request_duration_seconds_bucket', '', { operation: 'check' }) },
          { good: 'p99 below half a second.', unit: 's', limits: above(0.5, 2) },
        ),
        stack(
          'Starts that failed, by whose fault it is',
          {
            ours: `clamp_min((${orZero(anyPerSecond(failuresOf(of, operations.sessionStart)))}) - (${orZero(unchecked)}), 0)`,
            'the partner’s': unchecked,
          },
          { good: '0. The partner’s: call him; ours: GsbSessionStartOwnFaults tells, and its runbook.' },
        ),
      ],
    },
  ],
};
