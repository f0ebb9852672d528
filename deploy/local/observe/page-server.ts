import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { boards } from '../../observability/boards/all.ts';
import { buildBoard } from '../../observability/boards/build.ts';
import { newestLines } from '../logs-of.ts';
import { freePort } from '../free-port.ts';
import { localUrl } from '../programs.ts';
import { documentOf } from './documents.ts';
import { spansIn } from './spans.ts';
import { createTraceStore } from './trace-store.ts';

const folder = join(import.meta.dirname, 'page');
const types = { html: 'text/html', mjs: 'text/javascript', js: 'text/javascript', css: 'text/css' } as const;

interface PageOptions {
  /** Chart.js, as one file for browsers. */
  readonly chart: string;
  /** The address of Prometheus, once it is known. */
  readonly prometheus: () => string;
  readonly alertmanager: () => string | undefined;
  /** The folder of the services' logs. */
  readonly logs?: string;
  readonly port?: number;
}

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Buffer;
}

const json = (body: unknown): Answer => ({ type: 'application/json', body: JSON.stringify(body) });
const file = (path: string): Answer => {
  const ending = path.slice(path.lastIndexOf('.') + 1) as keyof typeof types;
  return { type: `${types[ending]}; charset=utf-8`, body: readFileSync(path) };
};
const missing: Answer = { status: 404, type: 'text/plain', body: 'not found' };

const passOn = async (url: string | undefined): Promise<Answer> => {
  if (url === undefined) return json([]);
  const response = await fetch(url);
  return { status: response.status, type: 'application/json', body: await response.text() };
};

/** The boards as Grafana has them. */
const listOfBoards = () => boards.map(({ uid, title }) => ({ uid, title }));
const boardOf = (uid: string): Answer => {
  const found = boards.find((each) => each.uid === uid);
  return found === undefined ? missing : json(buildBoard(found));
};

const spanQuery = (asked: URLSearchParams) => ({
  text: asked.get('q') ?? '',
  minMs: Number(asked.get('min') ?? 0),
  isError: asked.get('failed') === 'yes',
});

const logQuery = (asked: URLSearchParams) => ({
  wanted: asked.get('q') ?? '',
  levels: asked.get('levels')?.split('|') ?? [],
  fromMs: Number(asked.get('from') ?? 0),
  toMs: Number(asked.get('to') ?? Infinity),
});

const answerTo = async (
  { pathname, search, searchParams }: URL,
  { chart, prometheus, alertmanager, logs }: PageOptions,
  traces: ReturnType<typeof createTraceStore>,
): Promise<Answer> => {
  const [, first = '', second = ''] = pathname.split('/');
  if (pathname.startsWith('/api/v1/')) return passOn(`${prometheus()}${pathname}${search}`);
  if (pathname === '/api/alerts') {
    const at = alertmanager();
    return passOn(at && `${at}/api/v2/alerts`);
  }
  if (pathname === '/api/boards') return json(listOfBoards());
  if (pathname.startsWith('/api/boards/')) return boardOf(pathname.slice('/api/boards/'.length));
  if (pathname === '/api/traces') return json(traces.list(spanQuery(searchParams)));
  if (pathname === '/api/logs')
    return json(logs === undefined ? [] : newestLines(logs, logQuery(searchParams)));
  if (pathname.startsWith('/api/traces/')) return json(traces.trace(pathname.slice('/api/traces/'.length)));
  if (pathname === '/chart.js') return file(chart);
  if (first === 'page' && /^[a-z-]+\.(mjs|css)$/.test(second)) return file(join(folder, second));
  if (['', 'd', 'traces', 'logs', 'explore'].includes(first)) return file(join(folder, 'index.html'));
  const document = documentOf(pathname);
  return document === undefined ? missing : { type: `${types.html}; charset=utf-8`, body: document };
};

const send = (response: ServerResponse, { status = 200, type = 'text/plain', body }: Answer): void =>
  void response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);

/** Serves the boards, drawn from Prometheus, and what their links lead to: traces, logs, runbooks. Takes spans by OTLP over HTTP as JSON at /v1/traces. */
export const servePage = async (options: PageOptions) => {
  const traces = createTraceStore();
  const handle = async (request: IncomingMessage): Promise<Answer> => {
    const url = new URL(request.url ?? '/', 'http://page');
    if (request.method !== 'POST' || url.pathname !== '/v1/traces') return answerTo(url, options, traces);
    traces.add(spansIn(await text(request)));
    return json({});
  };
  const server = createServer((request, response) => {
    handle(request).then(
      (answer) => send(response, answer),
      (error: unknown) => send(response, { status: 500, body: String(error) }),
    );
  });
  const port = await freePort(options.port ?? 0);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: localUrl(port),
    traces,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
