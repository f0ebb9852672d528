import { stringify } from 'yaml';
import { alerts } from './all.ts';
import type { Alert, Series } from './types.ts';

const inputOf = (series: Series) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }));

const testOf = (alert: Alert, at: 'firing' | 'resting') => ({
  name: `${alert.name} (${alert.severity}) ${at}`,
  interval: '1m',
  input_series: inputOf(alert.proof[at]),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${alert.name}", severity="${alert.severity}", alertstate="firing"}) or vector(0)`,
      eval_time: `${alert.proof.afterMin}m`,
      exp_samples: [{ labels: '{}', value: at === 'firing' ? 1 : 0 }],
    },
  ],
});

/** The rules that a subject is tested with: its own, and those that compute what it uses. */
const rulesOf = (subject: string): string[] => [
  ...(subject === 'slos' ? ['slo-recordings.yaml'] : []),
  `${subject}.yaml`,
];

/** Files for `promtool test rules`, by subject: each alert once as it fires, once as it rests. `folder`: where the rules are. */
export const promtoolTests = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(alerts).map(([subject, ofSubject]) => [
      `${subject}-test.yaml`,
      stringify({
        rule_files: rulesOf(subject).map((name) => `${folder}/${name}`),
        evaluation_interval: subject === 'slos' ? '5m' : '1m',
        tests: ofSubject.flatMap((alert) => [testOf(alert, 'firing'), testOf(alert, 'resting')]),
      }),
    ]),
  );
