import { DashboardLinkType } from '@grafana/grafana-foundation-sdk/dashboard';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { newestLines } from '../../../../deploy/local/logs-of.ts';
import { servePage } from '../../../../deploy/local/observe/page-server.ts';
import { spansIn } from '../../../../deploy/local/observe/spans.ts';
import { ruleFiles } from '../../../../deploy/observability/alerts/rule-files.ts';
import { boards } from '../../../../deploy/observability/boards/all.ts';
import { buildBoard } from '../../../../deploy/observability/boards/build.ts';
import { logsOf, tracesOf } from '../../../../deploy/observability/links.ts';

interface Rule {
  readonly alert?: string;
  readonly annotations: { readonly runbook_url: string; readonly dashboard_url: string };
}
const rulesIn = (rules: string): Rule[] =>
  (parse(rules) as { groups: { rules: Rule[] }[] }).groups
    .flatMap((group) => group.rules)
    .filter(({ alert }) => alert !== undefined);

/** What the page runs in browsers. */
const script = (name: string) =>
  import(join(import.meta.dirname, `../../../../deploy/local/observe/page/${name}.mjs`));
const { leading } = (await script('prometheus')) as { leading: (url: string, rangeSec: number) => string };
const { askedOfExplore } = (await script('explore')) as {
  askedOfExplore: (panes: string | null) => Record<string, string>;
};

const { columnsOf } = (await script('panels')) as { columnsOf: (rangeSec: number) => number };
const { stepOf } = (await script('prometheus')) as { stepOf: (rangeSec: number) => number };

test.each([60, 240, 300, 900, 3_600, 10_800])(
  'a heatmap of %d s has no column without a point of its time',
  (rangeSec) => {
    expect(rangeSec / columnsOf(rangeSec)).toBeGreaterThanOrEqual(stepOf(rangeSec));
  },
);

const traceId = '0af7651916cd43dd8448eb211c80319c';
const exported = (name: string, isError = false) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'ott' } }] },
      scopeSpans: [
        {
          spans: [
            {
              ...{ traceId, spanId: 'b7ad6b7169203331', name, kind: 2 },
              ...{ startTimeUnixNano: '1763800000000500000', endTimeUnixNano: '1763800000250500000' },
              attributes: [{ key: 'gsb.request_id', value: { stringValue: 'req_1' } }],
              links: [{ traceId: 'f'.repeat(32), spanId: 'e'.repeat(16) }],
              status: { code: isError ? 2 : 0 },
            },
          ],
        },
      ],
    },
  ],
});

let page: Awaited<ReturnType<typeof servePage>>;
beforeEach(async () => {
  page = await servePage({ chart: '', prometheus: () => '', alertmanager: () => undefined });
});
afterEach(() => page.close());

test('spans that services export are found by their trace, and by what they name', async () => {
  const body = JSON.stringify(exported('POST /v1/ott', true));
  const taken = await fetch(`${page.url}/v1/traces`, { method: 'POST', body });

  const found = async (path: string) => await (await fetch(`${page.url}${path}`)).json();
  expect(taken.status).toBe(200);
  expect(await found('/api/traces?q=req_1')).toEqual([
    expect.objectContaining({ traceId, name: 'POST /v1/ott', services: ['ott'], isError: true }),
  ]);
  expect(await found('/api/traces?q=somebody')).toEqual([]);
  expect(await found(`/api/traces/${traceId}`)).toEqual([
    expect.objectContaining({ links: [{ traceId: 'f'.repeat(32), spanId: 'e'.repeat(16) }] }),
  ]);
});

test('times of spans keep their fractions of a millisecond', () => {
  const [span] = spansIn(JSON.stringify(exported('x')));

  expect([span!.startMs % 1000, span!.endMs - span!.startMs]).toEqual([0.5, 250]);
});

test('what is no export is refused, and the page goes on', async () => {
  const answers = ['nonsense', '{"resourceSpans":7}'].map((body) =>
    fetch(`${page.url}/v1/traces`, { method: 'POST', body }),
  );

  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([500, 500]);
  expect((await fetch(`${page.url}/d/gsb-overview`)).status).toBe(200);
});

test('a page asks for a board and gets what Grafana gets; other files of the machine it does not get', async () => {
  const list = (await (await fetch(`${page.url}/api/boards`)).json()) as { uid: string }[];
  const board = await (await fetch(`${page.url}/api/boards/gsb-kafka`)).json();

  expect(list).toHaveLength(boards.length);
  expect(board).toMatchObject({ uid: 'gsb-kafka', panels: expect.any(Array) });
  for (const path of [
    '/page/..%2f..%2fstart.ts',
    '/page/../page-server.ts',
    '/api/boards/none',
    '/etc/passwd',
  ])
    expect((await fetch(page.url + path)).status).toBe(404);
});

describe('links lead on', () => {
  const asItAnswers = { docsUrl: '', grafanaUrl: '' };
  const textAt = async (path: string) => (await fetch(page.url + path)).text();

  test('from each alert to a page with its runbook, and to its board', async () => {
    const published = { docsUrl: page.url, grafanaUrl: page.url };
    const rules = Object.values(ruleFiles(published)).flatMap((text) => rulesIn(text));

    expect(rules.length).toBeGreaterThan(40);
    for (const { alert, annotations } of rules) {
      const runbook = await (await fetch(annotations.runbook_url)).text();
      expect(runbook).toContain(`<h1>${alert}</h1>`);
      expect(runbook).toContain('<h2>Diagnosis</h2>');
      const [board = ''] = annotations.dashboard_url.split('{{');
      expect(board).toMatch(new RegExp(`^${page.url}/d/gsb-[a-z-]+$`));
      expect((await fetch(`${page.url}/api/boards/${board.split('/').at(-1)}`)).status).toBe(200);
    }
  });

  test('from each board to failed traces, the logs and the runbooks, with nothing left to put in', async () => {
    for (const board of boards) {
      const { links = [], panels = [] } = buildBoard(board, asItAnswers);
      const urls = [...links, ...panels.flatMap((each) => ('links' in each ? (each.links ?? []) : []))]
        .filter(({ type }) => type === DashboardLinkType.Link)
        .map(({ url }) => url ?? '');

      expect(urls.length).toBeGreaterThan(2);
      for (const url of new Set(urls)) expect((await fetch(page.url + leading(url, 300))).status).toBe(200);
      for (const url of urls) expect(leading(url, 300)).not.toContain('$');
    }
  });

  test('from every runbook to the documents that it names', async () => {
    const list = await textAt('/deploy/observability/runbooks');
    const names = [...list.matchAll(/href="(\/deploy\/[^"]+\.md)"/g)].map(([, href]) => href!);

    expect(names.length).toBeGreaterThan(40);
    for (const name of names)
      for (const [, href = ''] of (await textAt(name)).matchAll(/href="(\.[^"]+)"/g))
        expect((await fetch(new URL(href, page.url + name))).status).toBe(200);
  });

  test('what Explore is asked for is what the page looks for', () => {
    const panesOf = (url: string) => new URL(leading(url, 300), page.url).searchParams.get('panes');
    const slow = tracesOf(
      '{ resource.x =~ "${environment}" && span.http.route = "/v1/ott" && duration > 500ms }',
    );
    const failed = tracesOf('{ status = error }');
    const warnings = logsOf('{service_name=~"ott|settlement"} | json | level=~"warn|error"');

    expect(askedOfExplore(panesOf(slow))).toMatchObject({ source: 'traces', q: '/v1/ott', min: '500' });
    expect(askedOfExplore(panesOf(failed))).toMatchObject({ q: '', min: '0', failed: 'yes' });
    expect(askedOfExplore(panesOf(warnings))).toMatchObject({ source: 'logs', levels: 'warn|error' });
  });

  test('lines of the logs are found by their level and by what they name, and tell their trace', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'gsb-logs-'));
    const line = (level: string, msg: string) =>
      JSON.stringify({ level, time: new Date().toISOString(), service: 'ott', msg, trace_id: traceId });
    writeFileSync(join(dir, 'ott.log'), [line('info', 'of req_1'), line('warn', 'careful')].join('\n'));

    const asked = { wanted: '', levels: ['warn'], fromMs: 0, toMs: Infinity };
    const warnings = newestLines(dir, asked);
    const named = newestLines(dir, { ...asked, levels: [], wanted: 'req_1' });
    const earlier = newestLines(dir, { ...asked, toMs: Date.now() - 3_600_000 });
    rmSync(dir, { recursive: true });

    expect(warnings).toEqual([{ text: expect.stringContaining('careful'), level: 'warn', traceId }]);
    // The rest of its trace comes with it.
    expect(named).toHaveLength(2);
    expect(earlier).toEqual([]);
  });
});
