import { services } from '#libs/runtime/metric-catalog/labels.ts';
import type { ServiceName } from '#libs/contracts/topics.ts';
import { metric } from '../metric.ts';
import { counting, extreme, increased, look, ready, series } from './expressions.ts';
import type { Alert, Series } from './types.ts';

const started = 'process_start_time_seconds';
const labels = 'deployment_environment_name, service_name';
/** A service that an environment had within the last hour, and has no more: another environment's does not stand for it. */
const lost = `group by (${labels}) (last_over_time(${metric(started, { service_name: `~${services.all.join('|')}` })}[1h])) unless on (${labels}) ${metric(started)}`;
/** One of which no environment has told anything. */
const unknown = services.all
  .map((service_name) => `absent(${metric(started, { service_name })})`)
  .join(' or ');
const absent = `${lost} or (${unknown}) unless on (service_name) (${lost})`;

const told = (environment: string, values: Partial<Record<ServiceName, string>> = {}): Series =>
  Object.fromEntries(
    services.all.map((service_name) => [
      `${started}{service_name="${service_name}", deployment_environment_name="${environment}"}`,
      values[service_name] ?? '1x126',
    ]),
  );

/** What the processes lack. */
export const processes: readonly Alert[] = [
  {
    name: 'GsbServiceAbsent',
    severity: 'page',
    owner: 'platform',
    expr: absent,
    for: '2m',
    summary: 'Nothing is heard of {{ $labels.service_name }}.',
    board: 'gsb-resources',
    runbook: {
      meaning:
        'No replica of the service is scraped in this environment: none runs, or Prometheus does not reach them. Where other environments have it, this is told for an hour.',
      impact:
        'Without launcher-gateway nobody starts, without game-session nobody plays; what the others do waits on the log.',
      diagnosis: [
        ready('launcher-gateway'),
        ready('game-session'),
        'In a cluster: are there pods, and does the network policy let Prometheus in?',
      ],
      mitigation: ['A pod that does not start says why in its first log line, by the names of variables.'],
    },
    proof: {
      firing: { ...told('live', { ott: '1x20' }), ...told('qa') },
      resting: { ...told('live'), ...told('qa') },
      afterMin: 30,
    },
    otherProofs: {
      'a service of which nothing was ever told': {
        firing: told('live', { settlement: '_x66' }),
        resting: told('live', { settlement: '_x20 1x46' }),
        afterMin: 30,
      },
      'a service that one of two environments never had': {
        firing: { ...told('live', { ott: '1x20' }), ...told('qa', { ott: '_x66' }) },
        resting: { ...told('live'), ...told('qa', { ott: '_x66' }) },
        afterMin: 30,
      },
      'a service that went longer ago than it is remembered': {
        firing: told('live', { ott: '1x2' }),
        resting: told('live'),
        afterMin: 80,
      },
    },
  },
  {
    name: 'GsbRestarting',
    severity: 'ticket',
    owner: 'platform',
    expr: `max by (deployment_environment_name, service_name) (changes(${metric('process_start_time_seconds')}[15m])) >= 3`,
    summary: '{{ $labels.service_name }} restarts again and again.',
    board: 'gsb-resources',
    runbook: {
      meaning: 'A process ended three times within a quarter of an hour.',
      impact: 'Others take over; each restart costs a rebalance.',
      diagnosis: [
        look('game-session', 'process_'),
        'The last line of the log before a restart names the reason; without one it was killed: memory, or liveness.',
      ],
      mitigation: ['Roll back, if it began with a rollout.'],
    },
    proof: {
      firing: series('process_start_time_seconds', { service_name: 'ott' }, '1x3 2x3 3x3 4x50'),
      resting: series('process_start_time_seconds', { service_name: 'ott' }, '1x3 2x60'),
      afterMin: 12,
    },
  },
  {
    name: 'GsbInternalErrors',
    severity: 'ticket',
    owner: 'play',
    expr: `${increased('gsb_http_refusals_total', '15m', { code: 'INTERNAL' }, 'service_name')} > 0`,
    summary: '{{ $labels.service_name }} has a bug: requests were answered 500.',
    board: 'gsb-security',
    runbook: {
      meaning: 'An error that is neither a refusal nor an outage of a store.',
      impact: 'These requests failed, and will fail again.',
      diagnosis: [
        look('game-session', 'gsb_http_refusals_total'),
        'The log has the stack under "a request failed", with the request id.',
      ],
      mitigation: ['Roll back, if it began with a rollout.'],
    },
    proof: counting('gsb_http_refusals_total', { code: 'INTERNAL' }),
  },
  {
    name: 'GsbEventLoopLag',
    severity: 'ticket',
    owner: 'platform',
    expr: `${extreme('max', 'nodejs_eventloop_lag_p99_seconds', {}, 'service_name')} > 0.4`,
    for: '5m',
    summary: '{{ $labels.service_name }} is late by four tenths of a second in everything it does.',
    board: 'gsb-resources',
    runbook: {
      meaning:
        'The event loop of a replica is blocked: too little CPU, garbage collection, or one long computation.',
      impact: 'Every call is slower; at one second the replica is not ready.',
      diagnosis: [
        look('game-session', 'nodejs_eventloop_lag'),
        look('game-session', 'nodejs_gc_duration_seconds_sum'),
      ],
      mitigation: ['Throttled by its CPU limit: raise it. Otherwise more replicas.'],
    },
    proof: {
      firing: series('nodejs_eventloop_lag_p99_seconds', { service_name: 'ott' }, '0.9x66'),
      resting: series('nodejs_eventloop_lag_p99_seconds', { service_name: 'ott' }, '0.3x66'),
      afterMin: 10,
    },
  },
  {
    name: 'GsbOverloaded',
    severity: 'ticket',
    owner: 'platform',
    expr: `${increased('gsb_http_shed_requests_total', '5m', {}, 'service_name')} > 20`,
    for: '2m',
    summary:
      '{{ $labels.service_name }} cannot keep up and refuses requests before it has done anything for them.',
    board: 'gsb-resources',
    runbook: {
      meaning:
        'More requests wait than a process can answer in time, or more connections are open than it takes, so the least urgent are 503 at once: session starts first, heartbeats and ends last (D-46).',
      impact: 'Who is refused is told to come again; those who play are refused last.',
      diagnosis: [
        look('game-session', 'gsb_http_shed_requests_total'),
        look('game-session', 'nodejs_eventloop_lag_p99_seconds'),
        'Which route is it, and do more come than usual, or does each take longer?',
      ],
      mitigation: [
        'More replicas of the service, or more CPU. Where each takes longer: follow the alert of what it waits for.',
        'One caller that comes far too often: its rate limit (D-42).',
      ],
    },
    proof: counting('gsb_http_shed_requests_total', { http_route: '/v1/session/start' }, 30),
  },
];
