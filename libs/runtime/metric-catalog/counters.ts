import { end, heartbeat, heartbeatResult, verify, verifyReason } from '#libs/contracts/api/game.ts';
import { requestOtt, startSession } from '#libs/contracts/api/launcher.ts';
import type { Endpoint } from '#libs/contracts/endpoint.ts';
import { endReason } from '#libs/contracts/events/game-sessions.ts';
import { ottRefusalReason } from '#libs/contracts/events/otts.ts';
import { values } from './labels.ts';
import type { Metric } from './labels.ts';
import { machinery } from './machinery-counters.ts';
import { security } from './security-counters.ts';

/** How an operation is answered once its caller is known: with one of these results, an error of its contract, or INTERNAL. */
const resultsOf = ({ errors }: Endpoint, ...results: readonly string[]): readonly string[] => [
  ...results,
  ...errors.filter((code) => !code.startsWith('INVALID_')),
  'INTERNAL',
];

/** What happens to sessions and their seconds. */
const sessions = {
  gsb_verifies_total: {
    help: 'Verify calls by their answer: accepted, a reason of spec 4.1 or an error code.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games', result: resultsOf(verify, 'accepted', ...verifyReason.options) },
  },
  gsb_heartbeats_total: {
    help: 'Heartbeats of game servers by their answer: a result of spec 4.2 or an error code.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games', result: resultsOf(heartbeat, ...heartbeatResult.options) },
  },
  gsb_ends_total: {
    help: 'End calls of game servers by their answer: SUCCESS or an error code.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games', result: resultsOf(end, 'SUCCESS') },
  },
  gsb_sessions_started_total: {
    help: 'Game sessions that began.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_sessions_exhausted_total: {
    help: 'Game sessions whose cafe had used up its balance.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_sessions_recovered_total: {
    help: 'Game sessions that a top-up made active again within their grace.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_sessions_ended_total: {
    help: 'Game sessions whose play is over, by the reason.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games', reason: endReason.options },
  },
  gsb_sessions_spared_total: {
    help: 'Game sessions whose expiry an amnesty postponed (D-11).',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_heartbeats_not_awaited_total: {
    help: "Heartbeats that were OK without the partner's answer to them, because many came and the cafe's balance was known to last (D-62).",
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_late_heartbeats_total: {
    help: 'Heartbeats of game sessions that had expired by silence: somebody still played.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_played_seconds_total: {
    help: 'Seconds played in game sessions that are over.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_billed_seconds_total: {
    help: 'Seconds that the partner confirmed at the stop of a billing.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_unbilled_seconds_total: {
    help: 'Seconds played that the partner did not bill.',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_overbilled_seconds_total: {
    help: 'Seconds billed beyond those played: more than the session was (I4).',
    emittedBy: ['game-session'],
    labels: { game_id: 'games' },
  },
  gsb_stops_confirmed_total: {
    help: 'Billings whose stop the partner confirmed, by how long that took after the end of play.',
    emittedBy: ['game-session'],
    labels: { within: ['10s', '5m', 'later'] },
  },
  gsb_stop_reminders_total: {
    help: 'Ends of play that were published again, by how long the partner has not confirmed the stop.',
    emittedBy: ['game-session'],
    labels: { waited: ['under_5m', 'over_5m'] },
  },
} as const satisfies Record<string, Metric>;

/** What launchers do, and what becomes of their tokens. */
const tokens = {
  gsb_session_starts_total: {
    help: 'Session starts of launchers by their answer: ok or an error code.',
    emittedBy: ['launcher-gateway'],
    labels: { result: resultsOf(startSession, 'ok') },
  },
  gsb_session_starts_unchecked_total: {
    help: 'Those session starts that were 503 because the partner did not say whose the address is.',
    emittedBy: ['launcher-gateway'],
    labels: {},
  },
  gsb_ott_requests_total: {
    help: 'Requests of launchers for a one-time token by their answer: ok or an error code.',
    emittedBy: ['launcher-gateway'],
    labels: { game_id: 'games', result: resultsOf(requestOtt, 'ok') },
  },
  gsb_launcher_session_events_total: {
    help: 'Launcher sessions that began, lapsed or ended, or were replaced by another one on their PC: by the key of the cafe, or that of the PC (D-48).',
    emittedBy: ['launcher-gateway'],
    labels: { event: ['started', 'lapsed', 'ended', 'replaced', 'replaced_by_own_key'] },
  },
  gsb_ott_events_total: {
    help: 'What became of one-time tokens.',
    emittedBy: ['ott'],
    labels: { event: ['issued', 'accepted', 'consumed', 'given_back', 'voided', 'expired'] },
  },
  gsb_ott_refusals_total: {
    help: 'Presentations of one-time tokens that were refused, by the reason.',
    emittedBy: ['ott'],
    labels: { reason: ottRefusalReason.options },
  },
  gsb_ott_overdue_claims_total: {
    help: 'Claims without an outcome in time, which are called off (D-34).',
    emittedBy: ['ott'],
    labels: {},
  },
} as const satisfies Record<string, Metric>;

/** What is agreed with the partner. */
const billing = {
  gsb_billing_events_total: {
    help: 'What became of billings at the partner.',
    emittedBy: ['billing-adapter'],
    labels: {
      event: [
        ...['started', 'pending', 'refused', 'confirmed', 'confirmed_refused'],
        ...['renewed', 'exhausted', 'stopped'],
      ],
    },
  },
  gsb_billing_refusals_total: {
    help: 'Billings that were not started, by the reason.',
    emittedBy: ['billing-adapter'],
    labels: { reason: ['insufficient_balance', 'too_late', 'partner_unavailable'] },
  },
  gsb_partner_renewals_skipped_total: {
    help: 'Renewals that the partner did not answer.',
    emittedBy: ['billing-adapter'],
    labels: {},
  },
  gsb_partner_calls_refused_total: {
    help: 'Calls that were not made, because the circuit was open or too many waited (D-27).',
    emittedBy: ['billing-adapter'],
    labels: { operation: values.operation, reason: ['circuit_open', 'bulkhead_full'] },
  },
  gsb_ledger_rows_total: {
    help: 'Rows that were new to the ledger.',
    emittedBy: ['settlement'],
    labels: { kind: ['entry', 'confirmation'] },
  },
} as const satisfies Record<string, Metric>;

/** Counters. Each begins at 0 for all its labels, so that a first event is seen as an increase. */
export const counters = { ...sessions, ...tokens, ...billing, ...security, ...machinery } as const;
