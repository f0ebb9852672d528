import { context } from '@opentelemetry/api';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import { route, streamRoute } from '#libs/http/route.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { startTracing } from '#libs/runtime/tracing.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { until } from '../support/eventually.ts';
import { serveRoutes } from '../support/http-server.ts';
import { samplesOf } from '../support/read-metrics.ts';

const contract = endpoint({
  ...{ name: 'name', method: 'GET', path: '/name', summary: 'Says a name.', auth: 'none' },
  ...{ data: z.object({ name: z.string() }), errors: [] },
});
const lines = endpoint({ ...contract, name: 'lines', path: '/lines' });
const serve = (name: string) =>
  serveRoutes([
    route(contract, async () => ({ name })),
    streamRoute(lines, async () => ({
      headers: { 'Content-Type': 'application/json' },
      chunks: (async function* () {
        yield '[]';
      })(),
    })),
  ]);

test('a text of any letters arrives whole, with its length (D-01)', async () => {
  for (const name of ['plain', 'café', '별 🌟', 'ÿ']) {
    const server = await serve(name);
    const answer = await fetch(`${server.url}/name`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    await server.stop();

    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({ success: true, data: { name } });
  }
});

test('an answer of any kind is for its caller alone, and what its Content-Type names (D-44)', async () => {
  const server = await serve('x');
  const paths = ['/name', '/nothing', '/openapi.json', '/lines'];
  const answers = await Promise.all(paths.map((path) => fetch(`${server.url}${path}`)));
  const head = await fetch(`${server.url}/name`, { method: 'HEAD' });
  await server.stop();

  for (const { headers } of [...answers, head]) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200]);
});

test('a result that cannot be written is a bug of ours, to its caller and in what is measured (D-01)', async () => {
  const unwritable = endpoint({ ...contract, data: z.object({ name: z.any() }) });
  const metrics = createMetrics('ott');
  const server = await serveRoutes([route(unwritable, async () => ({ name: 1n }))], { metrics });
  const answer = await fetch(`${server.url}/name`);
  const body: unknown = await answer.json();
  await server.stop();

  expect(answer.status).toBe(500);
  expect(body).toMatchObject({ success: false, error: { code: 'INTERNAL' } });
  const counted = samplesOf(await metrics.text())
    .filter(({ name }) => name === 'http_server_request_duration_seconds_count')
    .map(({ labels, value }) => [labels['http_response_status_code'], value]);
  expect(counted).toEqual([['500', 1]]);
});

test('a connection that waits for its next request keeps nothing of the last one (D-64)', async () => {
  const tracing = await startTracing({ service: 'test', instance: 'test' });
  let within: WeakRef<object> | undefined;
  const noting = route(contract, async () => {
    within = new WeakRef(context.active());
    return { name: 'x' };
  });
  const server = await serveRoutes([noting], { keepAliveMs: 60_000 });
  const answer = await fetch(`${server.url}/name`);
  await answer.text();

  await until(() => {
    collectGarbage();
    return within?.deref() === undefined;
  }, 'the context of the request is collected');

  await server.stop();
  await tracing.shutdown();
});

test('a refusal is an answer, not a bug: it looks for no stack, which costs more than all else in it, and names its cause', () => {
  const cause = new Error('Redis is away');
  const refusal = new Refusal('UNAVAILABLE', { cause });

  expect(refusal.stack).not.toMatch(/\n\s+at /);
  expect(refusal.cause).toBe(cause);
  expect(new Error('a bug').stack).toMatch(/\n\s+at /);
});

test('what a 503 came from is logged, once a minute for each route; one without a cause is not', async () => {
  const lines: string[] = [];
  const log = createLog(
    { service: 'test', instance: 'test', level: 'warn' },
    (line) => void lines.push(line),
  );
  const refusing = (cause?: Error) => async () => {
    throw unavailable(cause);
  };
  const shed = endpoint({ ...contract, name: 'shed', path: '/shed' });
  const routes = [route(contract, refusing(new Error('Redis is away'))), route(shed, refusing())];
  const server = await serveRoutes(routes, { log });
  const paths = ['/name', '/name', '/shed'];
  const answers = await Promise.all(paths.map((path) => fetch(`${server.url}${path}`)));
  await server.stop();

  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'warn', route: '/name', error: { message: 'Redis is away' }, count: 1 },
  ]);
});
