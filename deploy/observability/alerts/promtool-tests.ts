import { stringify } from 'yaml';
import { alertsAndCluster } from './all.ts';
import type { Alert, Proof, Series } from './types.ts';

const inputOf = (series: Series) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }));

type At = 'firing' | 'resting';

const testOf = ({ name, severity }: Alert, proof: Proof, at: At, about = '') => ({
  name: `${name} (${severity}) ${at}${about}`,
  interval: '1m',
  input_series: inputOf(proof[at]),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertname="${name}", severity="${severity}", alertstate="firing"}) or vector(0)`,
      eval_time: `${proof.afterMin}m`,
      exp_samples: [{ labels: '{}', value: at === 'firing' ? 1 : 0 }],
    },
  ],
});

/** The series as Prometheus 3 keeps them, with a whole bound as a float. */
const withFloats = (series: Series): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => [name.replace(/\ble="(\d+)"/, 'le="$1.0"'), values]),
  );

const onPrometheus3 = ([what, proof]: readonly [string, Proof]): [string, Proof][] => {
  const [firing, resting] = [withFloats(proof.firing), withFloats(proof.resting)];
  const isAsBefore = Object.keys(firing).every((name) => name in proof.firing);
  return isAsBefore ? [] : [[`${what}, on Prometheus 3`.replace(/^, /, ''), { ...proof, firing, resting }]];
};

const testsOf = (alert: Alert) => {
  const told = [['', alert.proof] as const, ...Object.entries(alert.otherProofs ?? {})];
  return [...told, ...told.flatMap(onPrometheus3)].flatMap(([what, proof]) => {
    const about = what === '' ? '' : `: ${what}`;
    return [testOf(alert, proof, 'firing', about), testOf(alert, proof, 'resting', about)];
  });
};

/** The rules that a subject is tested with: its own, and those that compute what it uses. */
const rulesOf = (subject: string): string[] => [
  ...(subject === 'slos' ? ['slo-recordings.yaml'] : []),
  `${subject}.yaml`,
];

/** Files for `promtool test rules`, by subject: each alert as it fires and as it rests. `folder`: where the rules are. */
export const promtoolTests = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(alertsAndCluster).map(([subject, ofSubject]) => [
      `${subject}-test.yaml`,
      stringify({
        rule_files: rulesOf(subject).map((name) => `${folder}/${name}`),
        evaluation_interval: subject === 'slos' ? '5m' : '1m',
        tests: ofSubject.flatMap(testsOf),
      }),
    ]),
  );
