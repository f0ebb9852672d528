import { operations } from '../operations.ts';
import { answered } from './answered.ts';
import { above, below, heatmap, number, stack, timeline } from './panels.ts';
import { happening, inRange, of, quantile, share } from './queries.ts';
import type { Board } from './types.ts';

const ages = 'gsb_ott_claim_age_seconds_bucket';
const verify = { http_route: '/v1/game/session/verify' } as const;

/** From a one-time token to a game session. */
export const tokens: Board = {
  uid: 'gsb-tokens',
  title: 'gsb: tokens and verify',
  about:
    'Does a token become a game session? It lives for 60 s and is spent **once**. Good: most tokens are consumed, verifies are `accepted`, and the answer takes less than half a second.',
  rows: [
    {
      title: 'Tokens',
      panels: [
        stack(
          'Requests by answer',
          { '{{result}}': happening('gsb_ott_requests_total', 'result') },
          {
            good: 'ok. NOT_PC_CAFE: the address is no cafe’s any more; UNAVAILABLE is ours, or the partner’s where an address changed.',
          },
        ),
        number('Requests answered', answered(operations.ott), {
          good: 'Above 99.95 %: no answer of ours was a 5xx.',
          limits: below(0.9995, 0.995),
        }),
        timeline(
          'What becomes of them',
          { '{{event}}': happening('gsb_ott_events_total', 'event') },
          {
            good: 'consumed follows issued; given_back is a refused billing, expired a player who did not come.',
          },
        ),
        number(
          'Issued tokens that were consumed',
          share(
            inRange('gsb_ott_events_total', '', { event: 'consumed' }),
            inRange('gsb_ott_events_total', '', { event: 'issued' }),
          ),
          { good: 'Above 80 %.', limits: below(0.8, 0.5) },
        ),
        heatmap(
          'Age when claimed',
          { '{{le}}': `sum by (le) (increase(${of(ages)}[$__rate_interval]))` },
          {
            good: 'A few seconds. Near 60 s: a game starts too slowly for its token.',
          },
        ),
      ],
    },
    {
      title: 'Verify',
      panels: [
        stack(
          'Verifies by answer',
          { '{{result}}': happening('gsb_verifies_total', 'result') },
          {
            good: 'accepted, and few others. UNAVAILABLE is ours; NOT_CHARGEABLE is a balance or the partner.',
          },
        ),
        timeline(
          'Refused, by game',
          {
            '{{game_id}}': `1 - sum by (game_id) (rate(${of('gsb_verifies_total', { result: 'accepted' })}[$__rate_interval])) / (sum by (game_id) (rate(${of('gsb_verifies_total')}[$__rate_interval])) > 0)`,
          },
          {
            good: 'All games alike; one that stands out has a mistake in its integration.',
            unit: 'percentunit',
          },
        ),
        timeline(
          'Time to answer',
          {
            p50: quantile(0.5, 'http_server_request_duration_seconds_bucket', '', verify),
            p99: quantile(0.99, 'http_server_request_duration_seconds_bucket', '', verify),
          },
          { good: 'p99 below half a second.', unit: 's', limits: above(0.5, 2) },
        ),
        stack(
          'Refused tokens by reason',
          { '{{reason}}': happening('gsb_ott_refusals_total', 'reason') },
          {
            good: 'Few. OTT_ALREADY_USED in numbers: somebody shares tokens, or a game server repeats without an Idempotency-Key.',
          },
        ),
        timeline(
          'Billings that were refused',
          { '{{reason}}': happening('gsb_billing_refusals_total', 'reason') },
          { good: 'insufficient_balance only.' },
        ),
        number('Claims that were called off', inRange('gsb_ott_overdue_claims_total'), {
          good: '0: every claim had an outcome within 15 s (D-34).',
          unit: 'short',
          limits: above(1, 10),
        }),
      ],
    },
  ],
};
