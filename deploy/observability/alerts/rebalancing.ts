import { look, ofEachProcess, series } from './expressions.ts';
import type { Alert, Series } from './types.ts';

const rebalances = 'gsb_kafka_rebalances_total';
const window = '15m';

/** What members of a group count, by what each is called. */
const members = (counts: Readonly<Record<string, string>>): Series =>
  Object.assign(
    {},
    ...Object.entries(counts).map(([instance, values]) =>
      series(rebalances, { group: 'ott', instance }, values),
    ),
  ) as Series;

/** The most pods that a preset of the chart gives a service. */
const mostPods = 12;
const each = Array.from({ length: mostPods }, (_, at) => at);

/** A pod a minute is replaced: all who are there are assigned their partitions twice. */
const rollout = members({
  ...Object.fromEntries(each.map((at) => [`old-${at}`, `9+2x${at + 1} _x60`])),
  ...Object.fromEntries(
    each.map((at) => [`new-${at}`, `_x${at + 1} 0+2x${mostPods - 1 - at} ${2 * (mostPods - 1 - at)}x60`]),
  ),
});

/** A group that does not come to rest. */
export const rebalancing: readonly Alert[] = [
  {
    name: 'GsbRebalancing',
    severity: 'ticket',
    owner: 'platform',
    expr: `${ofEachProcess('max', rebalances, window, 'group')} - ${ofEachProcess('count', rebalances, window, 'group')} > 10`,
    summary: 'The group {{ $labels.group }} is assigned its partitions again and again.',
    board: 'gsb-kafka',
    runbook: {
      meaning:
        'Members come and go: pods restart, an autoscaler swings, or heartbeats to the coordinator are late. A rollout of any size is not meant: it assigns twice for each pod, and both the old pod and the new one are members.',
      impact: 'Each rebalance stops the group for a moment.',
      diagnosis: [look('ott', 'gsb_kafka_rebalances'), look('ott', 'nodejs_eventloop_lag_p99')],
      mitigation: ['Find what restarts (GsbRestarting), or slow the autoscaler down.'],
    },
    proof: {
      firing: members({ a: '0+1x60', b: '0+1x60' }),
      resting: rollout,
      afterMin: 14,
    },
    otherProofs: {
      'as many pods as a preset has': {
        firing: members(Object.fromEntries(each.map((at) => [`pod-${at}`, '0+2x60']))),
        resting: members(Object.fromEntries(each.map((at) => [`pod-${at}`, '7x60']))),
        afterMin: 20,
      },
    },
  },
];
