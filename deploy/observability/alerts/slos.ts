import type { ServiceName } from '#libs/contracts/topics.ts';
import type { Board } from '../boards/types.ts';
import { metric } from '../metric.ts';
import { look, ready } from './expressions.ts';
import type { Series } from './types.ts';

const seconds = 'http_server_request_duration_seconds';
const [count, bucket] = [`${seconds}_count`, `${seconds}_bucket`] as const;

/** What is promised of an operation: how many of its events are good. `window` stands for a range of time. */
export interface Slo {
  /** In the names of its rules and of its alert. */
  readonly name: string;
  readonly alert: `Gsb${string}`;
  readonly what: string;
  readonly objective: number;
  /** The counters of all events and of the bad ones, as selectors; `minus` of the good ones where those are counted. */
  readonly all: string;
  readonly bad: string | { readonly minus: string };
  readonly board: Board['uid'];
  readonly owner: 'play' | 'billing';
  /** Where one looks first; as in a runbook. */
  readonly diagnosis: readonly string[];
  readonly whenItBurns: string;
  /** Series in which a fifth of the events is bad. */
  readonly failing: Series;
}

const [start, ott, verify, beat, end] = [
  '/v1/session/start',
  '/v1/ott',
  '/v1/game/session/verify',
  '/v1/game/session/heartbeat',
  '/v1/game/session/end',
];

/** `routes`: those of the operation, where it has others besides. */
const answers = (service: ServiceName, http_route: string, bad: string, routes = http_route) => ({
  diagnosis: [
    look(service, count),
    'Which code is it (503 is a store or the log, 500 a bug), since when, and what was rolled out then?',
    look(service, 'gsb_http_refusals_total'),
    'What does it wait for?',
    ready(service),
  ],
  all: metric(count, { http_route: routes }),
  bad: metric(count, { http_route: routes, http_response_status_code: bad }),
  failing: {
    [metric(count, { http_route, http_response_status_code: '200' })]: '0+800x500',
    [metric(count, { http_route, http_response_status_code: '503' })]: '0+200x500',
  },
});

const faster = (service: ServiceName, http_route: string, le: string) => ({
  diagnosis: [
    'Which step is slow: the partner, the log, Redis or the service itself?',
    look('billing-adapter', 'gsb_partner_request_duration_seconds'),
    look(service, 'gsb_kafka_publish_duration_seconds'),
    look(service, 'nodejs_eventloop_lag_p99_seconds'),
    'A trace shows it: the exemplars of the latency panel lead to slow ones.',
  ],
  all: metric(count, { http_route }),
  bad: { minus: metric(bucket, { http_route, le }) },
  failing: {
    [metric(count, { http_route, http_response_status_code: '200' })]: '0+1000x500',
    [metric(bucket, { http_route, http_response_status_code: '200', le })]: '0+800x500',
  },
});

/** Nine promises. A 4xx that the caller causes is no bad event; 429 of a heartbeat is. */
export const slos: readonly Slo[] = [
  {
    ...{ name: 'session_start_availability', alert: 'GsbSessionStartAvailability', objective: 0.999 },
    ...{ what: 'session starts are answered', board: 'gsb-session-start', owner: 'play' },
    whenItBurns: 'Launchers cannot start: no new player gets in.',
    ...answers('launcher-gateway', start ?? '', '~5..'),
  },
  {
    ...{ name: 'session_start_latency', alert: 'GsbSessionStartLatency', objective: 0.99 },
    ...{ what: 'session starts take less than a second', board: 'gsb-session-start', owner: 'play' },
    whenItBurns: 'Launchers wait; the partner’s check of the address is the usual cause.',
    ...faster('launcher-gateway', start ?? '', '1'),
  },
  {
    ...{ name: 'ott_availability', alert: 'GsbOttAvailability', objective: 0.9995 },
    ...{ what: 'requests of tokens are answered', board: 'gsb-tokens', owner: 'play' },
    whenItBurns: 'Players cannot start a game with benefits.',
    ...answers('launcher-gateway', ott ?? '', '~5..'),
  },
  {
    ...{ name: 'verify_availability', alert: 'GsbVerifyAvailability', objective: 0.9995 },
    ...{ what: 'verifies are answered', board: 'gsb-tokens', owner: 'play' },
    whenItBurns: 'Players stand at the door of their game.',
    ...answers('game-session', verify ?? '', '~5..'),
  },
  {
    ...{ name: 'verify_latency', alert: 'GsbVerifyLatency', objective: 0.99 },
    ...{ what: 'verifies take less than half a second', board: 'gsb-tokens', owner: 'play' },
    whenItBurns: 'Players wait at the door of their game.',
    ...faster('game-session', verify ?? '', '0.5'),
  },
  {
    ...{ name: 'heartbeat_availability', alert: 'GsbHeartbeatAvailability', objective: 0.9999 },
    ...{ what: 'heartbeats are answered', board: 'gsb-heartbeats', owner: 'play' },
    whenItBurns: 'Sessions whose heartbeats fail for four minutes expire.',
    ...answers('game-session', beat ?? '', '~5..|429', '~/v1/game/sessions?/heartbeat'),
  },
  {
    ...{ name: 'end_availability', alert: 'GsbEndAvailability', objective: 0.999 },
    ...{ what: 'ends are answered', board: 'gsb-ends', owner: 'play' },
    whenItBurns: 'Sessions end by silence instead, four minutes later, with the same seconds.',
    ...answers('game-session', end ?? '', '~5..', '~/v1/game/sessions?/end'),
  },
  {
    ...{ name: 'billing_correctness', alert: 'GsbBillingCorrectness', objective: 0.9999 },
    ...{ what: 'stops are confirmed within five minutes', board: 'gsb-partner', owner: 'billing' },
    whenItBurns: 'Cafes may be charged on after their players have left.',
    diagnosis: [
      look('game-session', 'gsb_stops_confirmed_total'),
      look('billing-adapter', 'gsb_partner_circuit_state'),
      look('billing-adapter', 'gsb_partner_retry_age_seconds'),
      'A stop that failed for good is a dead letter.',
      '`npm run dead-letters -- list`',
    ],
    all: metric('gsb_stops_confirmed_total'),
    bad: metric('gsb_stops_confirmed_total', { within: 'later' }),
    failing: {
      [metric('gsb_stops_confirmed_total', { within: '10s' })]: '0+800x500',
      [metric('gsb_stops_confirmed_total', { within: 'later' })]: '0+200x500',
    },
  },
  {
    ...{ name: 'settlement_freshness', alert: 'GsbSettlementFreshness', objective: 0.99 },
    ...{ what: 'events are in the ledger within five minutes', board: 'gsb-settlement', owner: 'billing' },
    whenItBurns: 'Statements are behind; the day is not to be closed.',
    diagnosis: [
      look('settlement', 'gsb_kafka_lag_messages'),
      look('settlement', 'gsb_postgres_statement_duration_seconds_count'),
      ready('settlement'),
    ],
    all: metric('gsb_kafka_event_age_seconds_count', { service_name: 'settlement' }),
    bad: { minus: metric('gsb_kafka_event_age_seconds_bucket', { service_name: 'settlement', le: '300' }) },
    failing: {
      [metric('gsb_kafka_event_age_seconds_count', { service_name: 'settlement', topic: 'billing.v1' })]:
        '0+1000x500',
      [metric('gsb_kafka_event_age_seconds_bucket', {
        service_name: 'settlement',
        topic: 'billing.v1',
        le: '300',
      })]: '0+800x500',
    },
  },
];
