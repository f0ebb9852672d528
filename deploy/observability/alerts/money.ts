import { counting, increased, look, quantile, observed, series } from './expressions.ts';
import type { Alert, Series } from './types.ts';

const stopped = { waited: 'over_5m' } as const;
const replay = 'Nothing is lost while it lasts: the log keeps every event, and settlement reads it again.';

const ended = increased('gsb_sessions_ended_total', '10m');
const written = increased('gsb_ledger_rows_total', '10m', { kind: 'entry' });
const sessions = (values: string): Series =>
  series('gsb_sessions_ended_total', { game_id: 'starfall', reason: 'game_ended' }, values);
const entries = (values: string): Series => series('gsb_ledger_rows_total', { kind: 'entry' }, values);
const perMinute = ({ ends, entries: rows }: { ends: number; entries?: number }): Series => ({
  ...sessions(`0+${ends}x60`),
  ...(rows !== undefined && entries(`0+${rows}x60`)),
});
/** Six pods are replaced within six minutes, and each loses what it counted within a quarter of a minute, at its end and at its begin. */
const replaced = '0+50000x30 1545800+45800x5 1824800+50000x30';

/** What may never happen to the seconds. */
export const money: readonly Alert[] = [
  {
    name: 'GsbOverbilled',
    severity: 'page',
    owner: 'billing',
    expr: `${increased('gsb_overbilled_seconds_total', '15m')} > 0`,
    summary: 'The partner billed more seconds than were played.',
    board: 'gsb-partner',
    runbook: {
      meaning: 'A stop was confirmed with more seconds than the session has (promise I4).',
      impact: 'A cafe pays for time that nobody played.',
      diagnosis: [
        look('game-session', 'gsb_overbilled_seconds_total'),
        'Compare the day: settlement lists each session whose seconds differ from the partner’s.',
        '`curl -s -H "Authorization: Bearer $OPERATOR_KEY" $SETTLEMENT_URL/v1/reconciliations/$(date +%F) | head -c 2000`',
      ],
      mitigation: [
        'Tell the partner the sessions that differ; the ledger has our seconds, and they are the ones that count.',
        'If all sessions differ by the same, a clock is wrong: look for GsbClockSkew.',
      ],
    },
    proof: counting('gsb_overbilled_seconds_total', { game_id: 'starfall' }),
  },
  {
    name: 'GsbUnbilledPlay',
    severity: 'ticket',
    owner: 'billing',
    expr: `${increased('gsb_unbilled_seconds_total', '1h')} > 3600`,
    summary: 'More than an hour of play was not billed within the last hour.',
    board: 'gsb-partner',
    runbook: {
      meaning: 'The partner confirmed fewer seconds than were played, or refused a start that was pending.',
      impact: 'Play for which no cafe pays. It is bounded for each cafe by UNBILLED_CAP_SEC (D-26).',
      diagnosis: [
        look('game-session', 'gsb_unbilled_seconds_total'),
        look('billing-adapter', 'gsb_billing_events_total'),
      ],
      mitigation: [
        'After an outage of the partner this is its cost and ends by itself.',
        'Without one: a game whose policy is `continue` is played in cafes without balance. Set `outagePolicy: refuse`.',
      ],
    },
    proof: counting('gsb_unbilled_seconds_total', { game_id: 'starfall' }, 600),
  },
  {
    name: 'GsbBillingOrphans',
    severity: 'page',
    owner: 'billing',
    expr: `${increased('gsb_stop_reminders_total', '15m', stopped)} > 0`,
    for: '5m',
    summary: 'Play ended more than ten minutes ago and billing of it still runs.',
    board: 'gsb-ends',
    runbook: {
      meaning:
        'The partner has not confirmed a stop, although its event was published again and again (D-06).',
      impact: 'The seconds are right in our ledger; at the partner the cafe may be charged on.',
      diagnosis: [
        look('billing-adapter', 'gsb_partner_circuit_state'),
        'Where very many ended at once, their stops stand in line on the log, with their reminders (D-60). Nothing is wrong as long as `stopped` counts on.',
        look('billing-adapter', 'gsb_billing_events_total'),
        look('billing-adapter', 'gsb_kafka_last_fetch'),
        'A stop that failed for good is a dead letter.',
        '`npm run dead-letters -- list`',
      ],
      mitigation: [
        'When the partner is away, wait: stops are retried for two days, the oldest first.',
        'When stops stand in line, wait, or set `partner.inFlight.stop` higher: of those that are late a pod makes as many a second, divided by the partner’s latency.',
        'When billing-adapter is stuck, restart it: a stop is idempotent by the session’s id.',
        '`npm run dead-letters -- replay --all` after the cause is gone, within a week: by then the log forgets what proves them (D-70).',
      ],
    },
    proof: counting('gsb_stop_reminders_total', stopped, 1),
  },
  {
    name: 'GsbPendingStarts',
    severity: 'ticket',
    owner: 'billing',
    expr: `${increased('gsb_billing_events_total', '10m', { event: 'pending' })} > 10`,
    for: '5m',
    summary: 'Players start although the partner does not answer; their billing is pending.',
    board: 'gsb-partner',
    runbook: {
      meaning: 'Starts had no known outcome, and the games’ outage policy lets play begin (D-12).',
      impact: 'None for players. Seconds of cafes without balance will not be billed.',
      diagnosis: [
        look('billing-adapter', 'gsb_billing_events_total'),
        look('billing-adapter', 'gsb_partner_circuit_state'),
      ],
      mitigation: ['Follow GsbPartnerCircuitOpen; starts are retried by themselves.'],
    },
    proof: counting('gsb_billing_events_total', { event: 'pending' }),
  },
  {
    name: 'GsbLedgerIncomplete',
    severity: 'page',
    owner: 'billing',
    expr: `((${ended} - (${written} or 0 * ${ended})) > 7) / ${ended} > 0.002`,
    for: '30m',
    summary: 'Sessions ended that the ledger does not have.',
    board: 'gsb-settlement',
    runbook: {
      meaning:
        'For half an hour, of those sessions that ended within ten minutes more than seven, and more than two in a thousand, have no entry. What the counters of pods that are replaced lose is over sooner.',
      impact: `Statements lack them until settlement has caught up. ${replay}`,
      diagnosis: [
        look('settlement', 'gsb_ledger_rows_total'),
        look('settlement', 'gsb_kafka_lag_messages'),
        '`npm run dead-letters -- list`',
      ],
      mitigation: [
        'Settlement that is behind catches up by itself: see GsbSettlementBehind.',
        'Rebuild a day from the log and compare, before it is closed.',
        '`npm run replay -- --day yesterday`',
      ],
    },
    proof: {
      firing: perMinute({ ends: 5, entries: 0 }),
      resting: perMinute({ ends: 5, entries: 5 }),
      afterMin: 45,
    },
    otherProofs: {
      'of a big site every fiftieth is lost, or a rollout loses counts': {
        firing: perMinute({ ends: 50_000, entries: 49_000 }),
        resting: { ...perMinute({ ends: 50_000 }), ...entries(replaced) },
        afterMin: 45,
      },
      'there is no settlement, or there is a ramp': {
        firing: perMinute({ ends: 5 }),
        resting: { ...sessions('0+200x30 8000+2000x30'), ...entries('0+200x30 7500+2000x30') },
        afterMin: 45,
      },
    },
  },
  {
    name: 'GsbSettlementBehind',
    severity: 'page',
    owner: 'billing',
    expr: `${quantile(0.99, 'gsb_kafka_event_age_seconds_bucket', '5m', { matchers: { service_name: 'settlement' } })} > 60`,
    for: '10m',
    summary: 'What ended minutes ago is not in the ledger yet.',
    board: 'gsb-settlement',
    runbook: {
      meaning: 'The 99th percentile of the age at which settlement writes an event is above a minute.',
      impact: `Operators see old statements; players see nothing. ${replay}`,
      diagnosis: [look('settlement', 'gsb_postgres_'), look('settlement', 'gsb_kafka_lag_messages')],
      mitigation: [
        'Postgres that is away, slow, or refuses the role (GsbPostgresDenies) is the usual cause; settlement waits for it and goes on by itself.',
        'Do not close the day before it has caught up.',
      ],
    },
    proof: {
      firing: observed(
        'gsb_kafka_event_age_seconds',
        { topic: 'billing.v1', service_name: 'settlement' },
        120,
      ),
      resting: observed(
        'gsb_kafka_event_age_seconds',
        { topic: 'billing.v1', service_name: 'settlement' },
        60,
      ),
      afterMin: 30,
    },
  },
];
