import { counters } from '#libs/runtime/metric-catalog/counters.ts';
import { serviceNames } from '#libs/contracts/topics.ts';
import { gauges } from '#libs/runtime/metric-catalog/gauges.ts';
import { histograms } from '#libs/runtime/metric-catalog/histograms.ts';
import { alerts, alertsAndCluster } from '../../../deploy/observability/alerts/all.ts';
import { cluster } from '../../../deploy/observability/alerts/cluster.ts';
import { ruleFiles } from '../../../deploy/observability/alerts/rule-files.ts';
import { runbookCommands, runbookFiles } from '../../../deploy/observability/alerts/runbook-files.ts';
import { boards } from '../../../deploy/observability/boards/all.ts';
import { judgedBy } from '../../../deploy/observability/boards/judged-by.ts';
import { boardFiles } from '../../../deploy/observability/boards/build.ts';
import { lostLabels, problemsOf } from '../../support/promql.ts';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const every = Object.values(alerts).flat();
const withCluster = Object.values(alertsAndCluster).flat();
const panels = boards.flatMap(({ uid, rows }) =>
  rows.flatMap((row) => row.panels.map((panel) => [`${uid}: ${panel.title}`, panel] as const)),
);
/** What one screen of 1080 lines shows below Grafana's own heads, in rows of its grid. */
const oneScreen = 26;

describe('ten boards', () => {
  test('each has its own address and says what it answers', () => {
    expect(new Set(boards.map(({ uid }) => uid)).size).toBe(10);
    expect(boards.filter(({ about }) => about.length < 40)).toEqual([]);
  });

  test.each(panels)('%s asks for metrics, labels and values that the catalogue has', (_, { queries }) => {
    expect(queries.length).toBeGreaterThan(0);
    expect(queries.flatMap(({ expr, legend }) => [...problemsOf(expr), ...lostLabels(expr, legend)])).toEqual(
      [],
    );
  });

  test.each(panels)('%s says what good looks like', (_, { good }) => {
    expect(good).toMatch(/[.)]$/);
  });

  test.each(Object.keys({ ...counters, ...gauges, ...histograms }))('one of them shows %s', (name) => {
    const shown = panels.flatMap(([, { queries }]) => queries.map(({ expr }) => expr)).join('\n');

    expect(shown).toMatch(new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`));
  });

  test('the overview fits one screen', () => {
    const { panels: placed = [] } = JSON.parse(boardFiles()['overview.json']!) as {
      panels?: { gridPos: { y: number; h: number } }[];
    };
    const ends = placed.map(({ gridPos: { y, h } }) => y + h);

    expect(placed.length).toBeGreaterThan(15);
    expect(Math.max(...ends)).toBeLessThanOrEqual(oneScreen);
  });

  test('the overview counts our services by their names, in the environment that has fewest of them', () => {
    const [, panel] = panels.find(([name]) => name === 'gsb-overview: Services that run')!;
    const expr = panel.queries[0]!.expr;
    const [, names = ''] = /service_name=~"([^"]*)"/.exec(expr) ?? [];

    expect(names.split('|').sort()).toEqual([...serviceNames].sort());
    expect(expr).toMatch(/^\(min\(count by \(deployment_environment_name\)/);
  });

  test('a query of a metric that nobody measures is found out', () => {
    expect(problemsOf('sum(rate(gsb_nothing_total[5m]))')).toEqual(['no service measures gsb_nothing_total']);
    expect(problemsOf('sum by (colour) (gsb_sweeper_paused)')).toEqual([
      'nothing in it has the label colour',
    ]);
    expect(problemsOf('gsb_ends_total{result="FINE"}')).toEqual([
      'result of gsb_ends_total is never ="FINE"',
    ]);
    expect(problemsOf('gsb_ends_total{reason="x"}')).toEqual(['gsb_ends_total has no label reason']);
    expect(lostLabels('sum by (event) (x)', '{{topic}}')).toHaveLength(1);
  });
});

describe('alerts', () => {
  test('there are enough of them, each with a name of its own but for the two speeds of an SLO', () => {
    const names = withCluster.map(({ name, severity }) => `${name} ${severity}`);

    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(40);
  });

  test.each(every.map((alert) => [alert.name, alert] as const))(
    '%s asks for what the catalogue has, and leads to a board that is there',
    (_, { expr, board }) => {
      expect(problemsOf(expr)).toEqual([]);
      expect(boards.map(({ uid }) => uid)).toContain(board);
    },
  );

  test.each(withCluster.map((alert) => [alert.name, alert] as const))(
    '%s is one sentence, and keeps the labels that the sentence names',
    (_, { expr, summary }) => {
      const label = /\{\{ \$labels\.(\w+) \}\}/g;
      expect(summary.replace(label, 'it')).toMatch(/^[^.]{10,110}\.$/);
      const named = [...summary.matchAll(label)].map(([, name]) => name!);
      expect(named.filter((name) => !expr.includes(name))).toEqual([]);
    },
  );

  test.each(cluster.map((alert) => [alert.name, alert] as const))(
    '%s asks for this release alone, for nothing that the product itself could tell, and leads to a board',
    (_, { expr, board }) => {
      const asked = [...expr.matchAll(/\b(?:kube|cnpg|certmanager)_\w+\{([^}]*)\}/g)];

      expect(asked.length).toBeGreaterThan(0);
      expect(asked.filter(([, labels]) => !labels!.startsWith('namespace="gsb"'))).toEqual([]);
      expect(expr).not.toMatch(/gsb_|gsb:/);
      expect(boards.map(({ uid }) => uid)).toContain(board);
    },
  );

  test('each is judged by something that its board shows, so that the panel leads to its runbook', () => {
    const shown = new Set(
      boards.flatMap((board) =>
        board.rows.flatMap(({ panels: own }) => own.flatMap((panel) => judgedBy(board, panel))),
      ),
    );

    expect([...new Set(every.map(({ name }) => name))].filter((name) => !shown.has(name))).toEqual([]);
  });

  test('every recording that a rule uses is recorded', () => {
    const texts = Object.values(ruleFiles()).join('\n');
    const used = new Set([...texts.matchAll(/gsb:[a-z0-9_:]+/g)].map(([name]) => name));
    const recorded = new Set([...texts.matchAll(/record: (\S+)/g)].map(([, name]) => name));

    expect([...used].filter((name) => !recorded.has(name))).toEqual([]);
    expect(recorded.size).toBe((9 + 1) * 7);
  });
});

describe('runbooks', () => {
  test('there is one for each alert, with the four parts', () => {
    const files = runbookFiles();

    expect(Object.keys(files).sort()).toEqual(
      [...new Set(withCluster.map(({ name }) => `${name}.md`))].sort(),
    );
    for (const text of Object.values(files))
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part)).toEqual([
        ...['Meaning', 'Impact', 'Diagnosis', 'Mitigation'],
        ...(text.includes('kubectl --namespace gsb') ? ['In a cluster'] : []),
      ]);
  });

  test('each command of npm that asks a store has its line in a cluster, with a file that is there', () => {
    const texts = Object.values(runbookFiles());
    const asking = texts.filter((text) => /^npm run (?!key)/m.test(text));
    const files = asking.flatMap((text) =>
      [...text.matchAll(/node (deploy\/\S+\.ts)/g)].map(([, file]) => file!),
    );

    expect(asking.length).toBeGreaterThan(4);
    expect(asking.filter((text) => !text.includes('## In a cluster'))).toEqual([]);
    expect(files.filter((file) => !existsSync(resolve(root, file)))).toEqual([]);
  });

  test('commands of npm are in package.json', () => {
    const { scripts } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const named = runbookCommands().flatMap((command) => /npm run ([\w:-]+)/.exec(command)?.[1] ?? []);

    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
