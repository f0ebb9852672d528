import type { ServiceName } from '#libs/contracts/topics.ts';
import type { Board } from '../boards/types.ts';
import { metric } from '../metric.ts';
import { answersTo, failuresOf, operations } from '../operations.ts';
import type { Operation } from '../operations.ts';
import { look, ready, series } from './expressions.ts';
import type { Series } from './types.ts';

const seconds = 'http_server_request_duration_seconds';
const [count, bucket] = [`${seconds}_count`, `${seconds}_bucket`] as const;
const failures = 'gsb_http_failed_responses_total';
const ages = 'gsb_kafka_event_age_seconds';
const ledger = { service_name: 'settlement' } as const;

/** What is promised of an operation: how many of its events are good. `window` stands for a range of time. */
export interface Slo {
  /** In the names of its rules and of its alert. */
  readonly name: string;
  readonly alert: `Gsb${string}`;
  readonly what: string;
  readonly objective: number;
  /** The counters of all events and of the bad ones, as selectors; `minus` of the good ones where those are counted. */
  readonly all: readonly string[];
  readonly bad: readonly string[] | { readonly minus: readonly string[] };
  /** Bad ones that are left out: they are the partner's. */
  readonly but?: readonly string[];
  readonly board: Board['uid'];
  readonly owner: 'play' | 'billing';
  /** Where one looks first; as in a runbook. */
  readonly diagnosis: readonly string[];
  readonly whenItBurns: string;
  /** Series in which a fifth of the events is bad. */
  readonly failing: Series;
  /** Series in which none is; otherwise made of `failing`. */
  readonly resting?: Series;
}

const answers = (service: ServiceName, operation: Operation) => {
  const { route, batchRoute } = operation;
  const unavailable = { http_response_status_code: '503' } as const;
  const post = { http_request_method: 'POST' } as const;
  return {
    diagnosis: [
      look(service, failures),
      ...(batchRoute === undefined ? [] : [look(service, 'gsb_http_batch_items_total')]),
      'Which code is it (503 is a store or the log, 500 a bug), since when, and what was rolled out then?',
      look(service, 'gsb_http_refusals_total'),
      'What does it wait for?',
      ready(service),
    ],
    all: answersTo(metric, operation),
    bad: failuresOf(metric, operation),
    failing: {
      ...series(count, { http_route: route, http_response_status_code: '200' }, '0+800x500'),
      ...(batchRoute === undefined
        ? series(failures, { http_route: route, ...post, ...unavailable }, '0+200x500')
        : {
            ...series(failures, { http_route: batchRoute, ...post, ...unavailable }, '0x500'),
            ...series('gsb_http_batch_items_total', { http_route: batchRoute, ...unavailable }, '0+200x500'),
          }),
    },
  };
};

const faster = (service: ServiceName, { route: http_route }: Operation, le: string) => ({
  diagnosis: [
    'Which step is slow: the partner, the log, Redis or the service itself?',
    look('billing-adapter', 'gsb_partner_request_duration_seconds'),
    look(service, 'gsb_kafka_publish_duration_seconds'),
    look(service, 'nodejs_eventloop_lag_p99_seconds'),
    'A trace shows it: the exemplars of the latency panel lead to slow ones.',
  ],
  all: [metric(count, { http_route })],
  bad: { minus: [metric(bucket, { http_route, le })] },
  failing: {
    ...series(count, { http_route, http_response_status_code: '200' }, '0+1000x500'),
    ...series(bucket, { http_route, http_response_status_code: '200', le }, '0+800x500'),
  },
});

const start = operations.sessionStart;
const [starts, unchecked] = [
  answers('launcher-gateway', start),
  metric('gsb_session_starts_unchecked_total'),
];

/** Nine promises. Items of batches count one by one. */
export const slos: readonly Slo[] = [
  {
    ...{ name: 'session_start_availability', alert: 'GsbSessionStartAvailability', objective: 0.999 },
    ...{ what: 'session starts are answered', board: 'gsb-session-start', owner: 'play' },
    whenItBurns: 'Launchers cannot start: no new player gets in.',
    ...starts,
    diagnosis: [
      'Whose fault is it? Ours, where GsbSessionStartOwnFaults fires too; the partner’s, where it does not: follow GsbPartnerCircuitOpen or GsbPartnerErrors.',
      ...starts.diagnosis,
    ],
  },
  {
    ...{ name: 'session_start_latency', alert: 'GsbSessionStartLatency', objective: 0.99 },
    ...{ what: 'session starts take less than a second', board: 'gsb-session-start', owner: 'play' },
    whenItBurns: 'Launchers wait; the partner’s check of the address is the usual cause.',
    ...faster('launcher-gateway', operations.sessionStart, '1'),
  },
  {
    ...{ name: 'ott_availability', alert: 'GsbOttAvailability', objective: 0.9995 },
    ...{ what: 'requests of tokens are answered', board: 'gsb-tokens', owner: 'play' },
    whenItBurns: 'Players cannot start a game with benefits.',
    ...answers('launcher-gateway', operations.ott),
  },
  {
    ...{ name: 'verify_availability', alert: 'GsbVerifyAvailability', objective: 0.9995 },
    ...{ what: 'verifies are answered', board: 'gsb-tokens', owner: 'play' },
    whenItBurns: 'Players stand at the door of their game.',
    ...answers('game-session', operations.verify),
  },
  {
    ...{ name: 'verify_latency', alert: 'GsbVerifyLatency', objective: 0.99 },
    ...{ what: 'verifies take less than half a second', board: 'gsb-tokens', owner: 'play' },
    whenItBurns: 'Players wait at the door of their game.',
    ...faster('game-session', operations.verify, '0.5'),
  },
  {
    ...{ name: 'heartbeat_availability', alert: 'GsbHeartbeatAvailability', objective: 0.9999 },
    ...{ what: 'heartbeats are answered', board: 'gsb-heartbeats', owner: 'play' },
    whenItBurns: 'Sessions whose heartbeats fail for four minutes expire.',
    ...answers('game-session', operations.heartbeat),
  },
  {
    ...{ name: 'end_availability', alert: 'GsbEndAvailability', objective: 0.999 },
    ...{ what: 'ends are answered', board: 'gsb-ends', owner: 'play' },
    whenItBurns: 'Sessions end by silence instead, four minutes later, with the same seconds.',
    ...answers('game-session', operations.end),
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
    all: [metric('gsb_stops_confirmed_total')],
    bad: [metric('gsb_stops_confirmed_total', { within: 'later' })],
    failing: {
      ...series('gsb_stops_confirmed_total', { within: '10s' }, '0+800x500'),
      ...series('gsb_stops_confirmed_total', { within: 'later' }, '0+200x500'),
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
    all: [metric(`${ages}_count`, ledger)],
    bad: { minus: [metric(`${ages}_bucket`, { ...ledger, le: '300' })] },
    failing: {
      ...series(`${ages}_count`, { ...ledger, topic: 'billing.v1' }, '0+1000x500'),
      ...series(`${ages}_bucket`, { ...ledger, topic: 'billing.v1', le: '300' }, '0+800x500'),
    },
  },
];

/**
 * The first promise without what the partner fails, who alone can stop a start: so a page says whose fault it is. All else goes on without
 * him (D-12), and a stop that he confirms late is what its promise is about.
 */
const own: Slo = {
  ...{ name: 'session_start_own_faults', alert: 'GsbSessionStartOwnFaults', objective: 0.999 },
  ...{ what: 'session starts are answered, the partner aside', board: 'gsb-session-start' },
  ...{ owner: 'play', but: [unchecked] },
  whenItBurns: 'Launchers cannot start, and it is our fault: the partner answers, or was not asked.',
  ...starts,
  failing: { ...starts.failing, [unchecked]: '0+10x500' },
  resting: { ...starts.failing, [unchecked]: '0+200x500' },
};

/** The promises, and the one that is made a second time without the partner. */
export const measuredSlos: readonly Slo[] = [...slos, own];
