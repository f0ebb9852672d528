import { counting, increased, look, observed, quantile, series } from './expressions.ts';
import type { Alert } from './types.ts';

const http = 'http_server_request_duration_seconds';
const verify = { http_route: '/v1/game/session/verify' } as const;

/** What keeps players at the door of their game. */
export const tokens: readonly Alert[] = [
  {
    name: 'GsbVerifyRefusals',
    severity: 'ticket',
    owner: 'play',
    expr: `${increased('gsb_verifies_total', '15m', { result: '~OTT_.*|GAME_MISMATCH' }, 'game_id')} / (${increased('gsb_verifies_total', '15m', {}, 'game_id')} > 20) > 0.2`,
    for: '5m',
    summary: 'A fifth of the tokens that {{ $labels.game_id }} presents is refused.',
    board: 'gsb-tokens',
    runbook: {
      meaning: 'Tokens come too late, twice, or of another game.',
      impact: 'These players do not get in, and start again from the launcher.',
      diagnosis: [
        look('game-session', 'gsb_verifies_total'),
        'OTT_EXPIRED: the game starts more slowly than 60 s. OTT_ALREADY_USED: it repeats verify without an Idempotency-Key. GAME_MISMATCH: it has the key of another game.',
      ],
      mitigation: ['Tell the game’s operator which it is.'],
    },
    proof: {
      firing: {
        ...series('gsb_verifies_total', { game_id: 'starfall', result: 'OTT_EXPIRED' }, '0+4x60'),
        ...series('gsb_verifies_total', { game_id: 'starfall', result: 'accepted' }, '0+4x60'),
      },
      resting: series('gsb_verifies_total', { game_id: 'starfall', result: 'accepted' }, '0+8x60'),
      afterMin: 30,
    },
  },
  {
    name: 'GsbNotChargeable',
    severity: 'ticket',
    owner: 'billing',
    expr: `${increased('gsb_verifies_total', '15m', { result: 'NOT_CHARGEABLE' })} / (${increased('gsb_verifies_total', '15m')} > 20) > 0.2`,
    for: '5m',
    summary: 'A fifth of the players is turned away because billing is not possible.',
    board: 'gsb-tokens',
    runbook: {
      meaning:
        'Balances are used up, or the partner is away for games whose outage policy is `refuse`, or cafes are past their cap (D-26).',
      impact: 'These players cannot start.',
      diagnosis: [
        look('billing-adapter', 'gsb_billing_refusals_total'),
        look('billing-adapter', 'gsb_partner_circuit_state'),
      ],
      mitigation: [
        'insufficient_balance: nothing to do, the cafes top up.',
        'partner_unavailable: follow GsbPartnerCircuitOpen.',
      ],
    },
    proof: {
      firing: {
        ...series('gsb_verifies_total', { game_id: 'starfall', result: 'NOT_CHARGEABLE' }, '0+4x60'),
        ...series('gsb_verifies_total', { game_id: 'starfall', result: 'accepted' }, '0+4x60'),
      },
      resting: series('gsb_verifies_total', { game_id: 'starfall', result: 'accepted' }, '0+8x60'),
      afterMin: 30,
    },
  },
  {
    name: 'GsbVerifySlow',
    severity: 'ticket',
    owner: 'play',
    expr: `${quantile(0.99, `${http}_bucket`, '5m', { matchers: verify })} > 2`,
    for: '5m',
    summary: 'One verify in a hundred takes longer than two seconds.',
    board: 'gsb-tokens',
    runbook: {
      meaning: 'The 99th percentile of verify is above two seconds; at five it is answered 503.',
      impact: 'Players wait at the door of the game.',
      diagnosis: [
        look('game-session', `${http}_count`),
        look('billing-adapter', 'gsb_partner_request_duration_seconds_count'),
        look('ott', 'gsb_kafka_event_age_seconds_count'),
      ],
      mitigation: ['Slow at the partner: nothing but to tell it. Slow on the log: see GsbEventsOld.'],
    },
    proof: {
      firing: observed(http, verify, 2.5),
      resting: observed(http, verify, 2),
      afterMin: 20,
    },
  },
  {
    name: 'GsbTokensUnused',
    severity: 'ticket',
    owner: 'play',
    expr: `${increased('gsb_ott_events_total', '30m', { event: 'expired' })} / (${increased('gsb_ott_events_total', '30m', { event: 'issued' })} > 20) > 0.5`,
    for: '10m',
    summary: 'Half of the tokens is never presented.',
    board: 'gsb-tokens',
    runbook: {
      meaning: 'Launchers request tokens, and no game server presents them within 60 s.',
      impact: 'Players see the game start and do not get their benefits.',
      diagnosis: [look('ott', 'gsb_ott_events_total'), look('game-session', 'gsb_verifies_total')],
      mitigation: ['A game whose verifies have stopped has an outage: call its operator.'],
    },
    proof: {
      firing: {
        ...series('gsb_ott_events_total', { event: 'expired' }, '0+4x90'),
        ...series('gsb_ott_events_total', { event: 'issued' }, '0+5x90'),
      },
      resting: {
        ...series('gsb_ott_events_total', { event: 'expired' }, '0+1x90'),
        ...series('gsb_ott_events_total', { event: 'issued' }, '0+5x90'),
      },
      afterMin: 60,
    },
  },
  {
    name: 'GsbOverdueClaims',
    severity: 'ticket',
    owner: 'play',
    expr: `${increased('gsb_ott_overdue_claims_total', '15m')} > 0`,
    summary: 'Verifies had no outcome within 15 s and were called off.',
    board: 'gsb-tokens',
    runbook: {
      meaning:
        'A token was claimed, and neither a start nor a refusal of its billing followed in time (D-34).',
      impact: 'These verifies were answered 503; the players try again.',
      diagnosis: [
        look('ott', 'gsb_ott_overdue_claims_total'),
        look('billing-adapter', 'gsb_kafka_lag_messages'),
      ],
      mitigation: ['billing-adapter is behind or stuck: see GsbEventsOld and GsbConsumerStuck.'],
    },
    proof: counting('gsb_ott_overdue_claims_total', {}),
  },
];
