import { counters } from '#libs/runtime/metric-catalog/counters.ts';
import { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import type { Metric } from '#libs/runtime/metric-catalog/labels.ts';
import { ruleFiles } from '../../../deploy/observability/alerts/rule-files.ts';
import { boards } from '../../../deploy/observability/boards/all.ts';
import { answersTo, operations } from '../../../deploy/observability/operations.ts';

interface Selector {
  readonly name: string;
  readonly route: string;
  readonly status: string;
}

const declared: Readonly<Record<string, Metric>> = { ...counters, ...histograms };
const queries = boards.flatMap(({ rows }) =>
  rows.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ expr }) => expr))),
);
const statuses: readonly string[] = Object.values(operations).map(({ failed }) => failed.slice(1));

/** Whether a selector asks for nothing but failures. */
const asksForFailures = (inBraces: string): boolean => {
  const [, outcome] = /outcome="(\w+)"/.exec(inBraces) ?? [];
  const [, status] = /http_response_status_code=~?"([^"]*)"/.exec(inBraces) ?? [];
  return /^(failed|denied)$/.test(outcome ?? '') || statuses.includes(status ?? '');
};

test('failures are counted by what begins at 0: a histogram begins with the first ones, which are no increase then', () => {
  const asked = [...Object.values(ruleFiles()), ...queries].flatMap((text) =>
    [...text.matchAll(/(\w+)\{([^}]*)\}/g)].filter(([, , inBraces = '']) => asksForFailures(inBraces)),
  );
  const names = new Set(asked.map(([, name = '']) => name));

  expect([...names].filter((name) => !(name in counters))).toEqual([]);
  expect([...names]).toContain('gsb_http_batch_items_total');
});

const labelsOf = (name: string): string =>
  Object.keys((declared[name.replace(/_count$/, '')] as Metric).labels)
    .sort()
    .join();

/** What tells the series of two selectors apart: their labels, their route, or that one has the statuses which the other leaves out. */
const areApart = (one: Selector, other: Selector): boolean =>
  labelsOf(one.name) !== labelsOf(other.name) ||
  one.route !== other.route ||
  one.status === `!${other.status}` ||
  other.status === `!${one.status}`;

test.each(Object.entries(operations))(
  'the answers to %s are apart: `or` leaves out what has equal labels',
  (_, operation) => {
    const selected: Selector[] = [];
    answersTo((name, { http_route: route = '', http_response_status_code: status = '' } = {}) => {
      selected.push({ name, route, status });
      return name;
    }, operation);

    const pairs = selected.flatMap((one, at) => selected.slice(at + 1).map((other) => [one, other] as const));
    expect(pairs.length).toBeGreaterThan(0);
    expect(pairs.filter(([one, other]) => !areApart(one, other))).toEqual([]);
  },
);
