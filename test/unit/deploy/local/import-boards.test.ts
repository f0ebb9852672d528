import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { importBoards } from '../../../../deploy/local/observe/import-boards.ts';
import { boards } from '../../../../deploy/observability/boards/all.ts';

describe('with GRAFANA_URL', () => {
  const asked: { path: string; key: string | undefined; dashboard: { uid: string } }[] = [];
  const bodies: unknown[] = [];
  const types: string[] = [];
  let status = 200;
  const grafana = createServer((request, response) => {
    void text(request).then((body) => {
      const { dashboard } = JSON.parse(body) as { dashboard: { uid: string } };
      bodies.push(JSON.parse(body));
      types.push(`${request.method} ${request.headers['content-type']}`);
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

  test('each is asked for as Grafana documents it: whose version it had does not matter, and links and data sources are in it', () => {
    const said = z.string().min(1);
    const panel = z.looseObject({
      type: z.enum(['row', 'text', 'stat', 'timeseries', 'heatmap']),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number().max(24), h: z.number().min(1) }),
      targets: z.array(z.looseObject({ refId: said, expr: said })).optional(),
    });
    const variable = z.looseObject({ name: said, type: z.enum(['datasource', 'query']) });
    const documented = z.strictObject({
      dashboard: z.looseObject({
        // A number belongs to one Grafana: with one, another would say 404.
        id: z.undefined().optional(),
        uid: z.string().regex(/^[a-zA-Z0-9_-]{1,40}$/),
        title: said,
        tags: z.array(said),
        schemaVersion: z.int().min(36),
        timezone: z.literal('browser'),
        panels: z.array(panel).min(5),
        templating: z.object({ list: z.array(variable).min(3) }),
      }),
      overwrite: z.literal(true),
      message: said,
    });

    expect(bodies).toHaveLength(boards.length);
    for (const body of bodies) expect(documented.safeParse(body).error?.issues ?? []).toEqual([]);
    expect(new Set(types)).toEqual(new Set(['POST application/json']));
  });

  test('one that is not taken is named, with what Grafana said', async () => {
    status = 403;

    await expect(importBoards({ url: url() })).rejects.toThrow(/gsb-overview: 403 no right to write/);
  });
});
