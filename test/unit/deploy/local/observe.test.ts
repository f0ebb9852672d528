import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { importBoards } from '../../../../deploy/local/observe/import-boards.ts';
import { servePage } from '../../../../deploy/local/observe/page-server.ts';
import { spansIn } from '../../../../deploy/local/observe/spans.ts';
import { boards } from '../../../../deploy/observability/boards/all.ts';

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

describe('with GRAFANA_URL', () => {
  const asked: { path: string; key: string | undefined; dashboard: { uid: string } }[] = [];
  let status = 200;
  const grafana = createServer((request, response) => {
    void text(request).then((body) => {
      const { dashboard } = JSON.parse(body) as { dashboard: { uid: string } };
      asked.push({ path: request.url ?? '', key: request.headers.authorization, dashboard });
      response.writeHead(status).end('no right to write');
    });
  });
  const url = () => `http://127.0.0.1:${(grafana.address() as AddressInfo).port}/`;
  beforeAll(() => new Promise<void>((done) => grafana.listen(0, '127.0.0.1', done)));
  afterAll(() => new Promise((done) => grafana.close(done)));

  test('the boards are imported, over those from before', async () => {
    expect(await importBoards({ url: url(), token: 'a-token' })).toBe(boards.length);

    expect(asked.map(({ dashboard }) => dashboard.uid)).toEqual(boards.map(({ uid }) => uid));
    expect(new Set(asked.map(({ path, key }) => `${path} ${key}`))).toEqual(
      new Set(['/api/dashboards/db Bearer a-token']),
    );
  });

  test('one that is not taken is named, with what Grafana said', async () => {
    status = 403;

    await expect(importBoards({ url: url() })).rejects.toThrow(/gsb-overview: 403 no right to write/);
  });
});
