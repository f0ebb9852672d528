import { counting, extreme, increased, look, observed, quantile, series } from './expressions.ts';
import type { Alert } from './types.ts';

const times = 'gsb_partner_request_duration_seconds';
const calls = `${times}_count` as const;
const failed = 'gsb_partner_failed_calls_total';
const refused = 'gsb_partner_calls_refused_total';
/** A circuit closes with a call that works: while nobody calls, an open one says nothing about the partner. */
const stillFails = `(${increased(refused, '5m', { reason: 'circuit_open' }, 'operation')} > 0 or ${increased(failed, '5m', {}, 'operation')} > 0)`;
const playGoesOn =
  'Play goes on (D-12): starts are pending, renewals are skipped, stops are retried from the log.';

/** What the partner does not do. */
export const partner: readonly Alert[] = [
  {
    name: 'GsbPartnerCircuitOpen',
    severity: 'page',
    owner: 'billing',
    expr: `${extreme('max', 'gsb_partner_circuit_state', {}, 'operation')} > 0 and ${stillFails}`,
    for: '2m',
    summary: 'The partner does not answer {{ $labels.operation }}.',
    board: 'gsb-partner',
    runbook: {
      meaning:
        'Half of the calls failed, so the partner is left alone for five seconds at a time (D-27), for two minutes now.',
      impact: `${playGoesOn} While \`check\` fails, launchers of cafes that are not in the cache cannot start.`,
      diagnosis: [
        look('billing-adapter', 'gsb_partner_'),
        'The log of billing-adapter names the reason once: status, timeout, or a body that does not match the contract.',
      ],
      mitigation: [
        'Call the partner.',
        '401 or 403: our token is not accepted any more; renew PARTNER_TOKEN.',
        'Nothing has to be repeated by hand afterwards.',
      ],
    },
    proof: {
      firing: {
        ...series('gsb_partner_circuit_state', { operation: 'start' }, '0x5 2x60'),
        ...series(refused, { operation: 'start', reason: 'circuit_open' }, '0x5 0+5x60'),
      },
      // One that works again, and one that nobody has needed since.
      resting: {
        ...series('gsb_partner_circuit_state', { operation: 'start' }, '0x5 2x1 0x60'),
        ...series(refused, { operation: 'start', reason: 'circuit_open' }, '0x5 0+5x60'),
        ...series('gsb_partner_circuit_state', { operation: 'renew' }, '0x5 2x60'),
        ...series(refused, { operation: 'renew', reason: 'circuit_open' }, '40x66'),
      },
      afterMin: 12,
    },
  },
  {
    name: 'GsbPartnerErrors',
    severity: 'ticket',
    owner: 'billing',
    expr: `${increased(failed, '10m', {}, 'operation')} / (${increased(calls, '10m', {}, 'operation')} > 10) > 0.1`,
    for: '5m',
    summary: 'A tenth of the calls of {{ $labels.operation }} to the partner fails.',
    board: 'gsb-partner',
    runbook: {
      meaning: 'No response in time, 401, 403, 408, 429, 5xx, or one that does not match the contract.',
      impact: playGoesOn,
      diagnosis: [look('billing-adapter', calls)],
      mitigation: ['Tell the partner. 429: lower PARTNER_RETRIES_PER_SEC.'],
    },
    proof: {
      firing: {
        ...series(failed, { operation: 'renew' }, '0+5x60'),
        ...series(calls, { operation: 'renew', outcome: 'failed' }, '0+5x60'),
        ...series(calls, { operation: 'renew', outcome: 'answered' }, '0+5x60'),
      },
      resting: {
        ...series(failed, { operation: 'renew' }, '0x60'),
        ...series(calls, { operation: 'renew', outcome: 'answered' }, '0+5x60'),
      },
      afterMin: 30,
    },
  },
  {
    name: 'GsbPartnerSlow',
    severity: 'ticket',
    owner: 'billing',
    expr: `${quantile(0.99, `${times}_bucket`, '10m', { by: 'operation' })} > 1`,
    for: '10m',
    summary: 'One call of {{ $labels.operation }} in a hundred takes the partner longer than a second.',
    board: 'gsb-partner',
    runbook: {
      meaning: 'The partner answers, slowly; calls are given up after two seconds, stops after five.',
      impact: 'Verifies are as slow as `start`; heartbeats are answered with the last known state.',
      diagnosis: [look('billing-adapter', 'gsb_partner_in_flight'), look('billing-adapter', calls)],
      mitigation: ['Tell the partner.'],
    },
    proof: {
      firing: observed(times, { operation: 'renew', outcome: 'answered' }, 2),
      resting: observed(times, { operation: 'renew', outcome: 'answered' }, 1),
      afterMin: 40,
    },
  },
  {
    name: 'GsbPartnerBulkheadFull',
    severity: 'ticket',
    owner: 'billing',
    expr: `${increased('gsb_partner_calls_refused_total', '10m', { reason: 'bulkhead_full' }, 'operation')} > 0`,
    for: '2m',
    summary: 'More calls of {{ $labels.operation }} wait for the partner than it takes.',
    board: 'gsb-partner',
    runbook: {
      meaning: 'All slots of the operation are taken and its queue is full (D-27).',
      impact: 'Starts and stops go to the retries; renewals are left to the next heartbeat.',
      diagnosis: [
        look('billing-adapter', 'gsb_partner_in_flight'),
        look('billing-adapter', 'gsb_partner_calls_refused'),
      ],
      mitigation: [
        'The partner is slow: see GsbPartnerSlow. If it is as fast as it will be, set partner.inFlight higher: a pod makes as many calls a second, divided by the seconds of one.',
      ],
    },
    proof: counting('gsb_partner_calls_refused_total', { operation: 'stop', reason: 'bulkhead_full' }),
  },
  {
    name: 'GsbPartnerRetriesOld',
    severity: 'ticket',
    owner: 'billing',
    expr: `${quantile(0.5, 'gsb_partner_retry_age_seconds_bucket', '30m', { by: 'operation' })} > 3600`,
    summary: 'Calls of {{ $labels.operation }} to the partner are retried for more than an hour.',
    board: 'gsb-partner',
    runbook: {
      meaning: 'Half of what is retried failed first more than an hour ago.',
      impact: 'After two days of retries a call becomes a dead letter.',
      diagnosis: [
        look('billing-adapter', 'gsb_partner_retry_age_seconds_count'),
        look('billing-adapter', 'gsb_partner_circuit_state'),
      ],
      mitigation: [
        'With the circuit closed, the partner refuses these very calls: ask it about one of them.',
      ],
    },
    proof: {
      firing: observed('gsb_partner_retry_age_seconds', { operation: 'stop' }, 14_400),
      resting: observed('gsb_partner_retry_age_seconds', { operation: 'stop' }, 3_600),
      afterMin: 40,
    },
  },
];
