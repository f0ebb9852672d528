import { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import { alerts } from '../../../deploy/observability/alerts/all.ts';
import { ruleFiles } from '../../../deploy/observability/alerts/rule-files.ts';
import { boards } from '../../../deploy/observability/boards/all.ts';

const queries = boards.flatMap(({ rows }) =>
  rows.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ expr }) => expr))),
);
const expressions = [...Object.values(ruleFiles()), ...queries].join('\n');

const boundsOf = (name: string): readonly number[] | undefined =>
  histograms[name as keyof typeof histograms]?.buckets;

test('no rule and no board names a whole bound as only some Prometheus has it: 1 before its version 3, 1.0 since', () => {
  expect(expressions).toContain('le=~"300([.]0)?"');
  expect([...expressions.matchAll(/\b(?:le|quantile)="\d+(?:\.0)?"/g)].map(([found]) => found)).toEqual([]);
});

test('a bound that a rule or a board names is one of its histogram', () => {
  const named = [...expressions.matchAll(/(\w+)_bucket\{[^}]*\ble=~?"([\d.]+?)(?:\(\[\.\]0\)\?)?"/g)];

  expect(named.length).toBeGreaterThan(0);
  expect(
    named
      .map(([, name = '', le]) => ({ name, le }))
      .filter(({ name, le }) => !boundsOf(name)?.includes(Number(le))),
  ).toEqual([]);
});

const ofQuantiles = Object.values(alerts)
  .flat()
  .flatMap(({ name, expr }) => {
    const [, histogram = '', threshold] =
      /^histogram_quantile\(.*?(\w+)_bucket\b.* > ([\d.]+)$/.exec(expr) ?? [];
    return threshold === undefined ? [] : [{ name, histogram, threshold: Number(threshold) }];
  });

test('every alert that judges a quantile is looked at', () => {
  const judging = Object.values(alerts)
    .flat()
    .filter(({ expr }) => expr.includes('histogram_quantile'));

  expect(ofQuantiles.map(({ name }) => name)).toEqual(judging.map(({ name }) => name));
});

test.each(ofQuantiles)(
  '$name fires above $threshold, which is a bound of its histogram: between two bounds a quantile is a guess',
  ({ histogram, threshold }) => {
    expect(boundsOf(histogram)).toContain(threshold);
  },
);
