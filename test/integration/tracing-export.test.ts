import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
}
interface Exported {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: { readonly spans: Span[] }[];
  }[];
}

const root = resolve(import.meta.dirname, '../..');
let collector: Server;
let received: Exported[] = [];

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Exported);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterAll(() => collector.close());
beforeEach(() => (received = []));

/** A program that traces. */
const programOf = (endpoint: string, work: string, ratio = 1): string => `
  import { SpanKind } from '@opentelemetry/api';
  import { extractTrace, inSpan, injectTrace, startTracing } from '#libs/runtime/tracing.ts';
  const lines = [];
  const log = { warn: (_, message) => lines.push(message) };
  const tracing = await startTracing(
    { service: 'ott', instance: 'ott-1', otlpEndpoint: '${endpoint}', ratio: ${ratio}, log });
  ${work}
  await tracing.shutdown();`;

/** Runs a program that traces, and ends when its spans have been sent. */
const traced = async (work: string, env: Record<string, string>, ratio = 1): Promise<Span[]> => {
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const otel = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  const child = spawn(
    process.execPath,
    ['--input-type=module-typescript', '-e', programOf(endpoint, work, ratio)],
    {
      cwd: root,
      env: { ...process.env, ...otel, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  return received.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
};

const sampledByCaller = "{ traceparent: '00-ffffffffffffffffffffffffffffffff-b7ad6b7169203331-01' }";
const server = 'kind: SpanKind.SERVER';

test('what OTEL_RESOURCE_ATTRIBUTES says stands on every span, but not another name of the service', async () => {
  const said = 'deployment.environment.name=qa,service.version=1.2.3,service.name=somebody';
  await traced("await inSpan('work', {}, async () => undefined);", { OTEL_RESOURCE_ATTRIBUTES: said });

  const attributes = received[0]!.resourceSpans[0]!.resource.attributes.map(
    ({ key, value }) => [key, value.stringValue] as const,
  );
  expect(Object.fromEntries(attributes)).toMatchObject({
    'deployment.environment.name': 'qa',
    'service.version': '1.2.3',
    'service.name': 'ott',
    'service.instance.id': 'ott-1',
    'service.namespace': 'gsb',
  });
});

test('our edge decides which traces are kept: a caller who samples everything does not', async () => {
  const request = `await inSpan('request', { ${server}, parent: extractTrace(${sampledByCaller}) }, async () =>
      inSpan('inside', {}, async () => undefined));`;

  expect(await traced(request, {}, 0)).toEqual([]);
  expect((await traced(request, {}, 1)).map(({ name }) => name).sort()).toEqual(['inside', 'request']);
});

test.each([
  ['words', 'nonsense'],
  ['an id that is none', '00-00000000000000000000000000000000-b7ad6b7169203331-01'],
  ['other digits', '00-zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz-b7ad6b7169203331-01'],
  ['a version that may not be', 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
])('a traceparent of %s is ignored: the request begins a trace of its own', async (_, traceparent) => {
  const headers = JSON.stringify({ traceparent });
  const [span] = await traced(
    `await inSpan('request', { ${server}, parent: extractTrace(${headers}) }, async () => undefined);`,
    {},
  );

  expect([span!.name, span!.parentSpanId ?? '']).toEqual(['request', '']);
  expect(traceparent).not.toContain(span!.traceId);
});

test('what follows a request is kept with it, whatever the ratio of its own service is', async () => {
  const followed = `await inSpan('process', { kind: SpanKind.CONSUMER, parent: extractTrace(${sampledByCaller}) },
      async () => undefined);`;

  expect((await traced(followed, {}, 0)).map(({ name }) => name)).toEqual(['process']);
});

describe('a request of a trace that is not kept', () => {
  const answered = (status: number, seconds: number) => `
    import { completeSpan } from '#libs/http/request-span.ts';
    await inSpan('POST', { ${server} }, async (span) => {
      await inSpan('inside', {}, async () => undefined);
      completeSpan(span, { method: 'POST', route: '/v1/game/session/verify', status: ${status}, seconds: ${seconds},
        requestId: span.spanContext().traceId, scheme: 'http', links: [] });
    });`;

  test.each([
    ['failed', 503, 0.01],
    ['was slow', 200, 0.6],
  ])('is kept after all when it %s, alone (D-52)', async (_, status, seconds) => {
    const spans = await traced(answered(status, seconds), {}, 0);

    expect(spans).toMatchObject([{ name: 'POST /v1/game/session/verify' }]);
    expect(spans[0]!.parentSpanId ?? '').toBe('');
    // The lines of the log have the id that the dropped one had.
    const dropped = spans[0]!.attributes.find(({ key }) => key === 'gsb.request_id');
    expect(dropped?.value.stringValue).toBe(spans[0]!.traceId);
  });

  test('is not, when all was well', async () => {
    expect(await traced(answered(200, 0.01), {}, 0)).toEqual([]);
  });
});

describe('a collector that does not do its part', () => {
  /** Traces so much that it would not fit into the memory, and says how long that took and what was held. */
  const flood = `
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    const took = [];
    for (let at = 0; at < 20_000; at += 1) {
      const began = performance.now();
      await inSpan('work', { attributes: { 'gsb.request_id': 'req_' + at } }, async () => undefined);
      took.push(performance.now() - began);
      if (at % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    took.sort((a, b) => a - b);
    globalThis.gc();
    const heldMb = (process.memoryUsage().heapUsed - before) / 1e6;
    console.log(JSON.stringify({ heldMb, p99Ms: took[Math.floor(took.length * 0.99)], lines }));
    process.exit(0);`;
  const flooded = async (endpoint: string) => {
    const child = spawn(
      process.execPath,
      ['--expose-gc', '--input-type=module-typescript', '-e', programOf(endpoint, flood)],
      {
        cwd: root,
        env: {
          ...process.env,
          OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
          OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
          OTEL_EXPORTER_OTLP_TIMEOUT: '200',
          OTEL_BSP_SCHEDULE_DELAY: '50',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    return JSON.parse(await text(child.stdout)) as { heldMb: number; p99Ms: number; lines: string[] };
  };

  test.each([
    ['swallows everything', () => undefined],
    ['closes every connection', (socket: Socket) => void socket.resetAndDestroy()],
    ['is full', (socket: Socket) => void socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n')],
  ])(
    'and %s costs neither time nor memory, and one line a minute',
    async (_, accept) => {
      const bad = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        accept(socket);
      }).listen(0, '127.0.0.1');
      await once(bad, 'listening');
      const { heldMb, p99Ms, lines } = await flooded(
        `http://127.0.0.1:${(bad.address() as AddressInfo).port}`,
      );
      bad.close();

      // Who waited for the collector would do so for 200 ms.
      expect(p99Ms).toBeLessThan(100);
      expect(heldMb).toBeLessThan(12);
      expect(lines).toEqual(['spans could not be sent, and are lost']);
    },
    60_000,
  );
});
