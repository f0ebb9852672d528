import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { forwardedFor, passedOn } from './forwarded-headers.ts';
import { createUpstreamPool } from './upstream-pool.ts';
import type { Upstream, UpstreamPool } from './upstream-pool.ts';

const answerTimeoutMs = 15_000;
const maxBodyBytes = 1024 * 1024;

/** A reverse proxy that runs. */
export interface ReverseProxy extends Pick<UpstreamPool, 'ready' | 'hold' | 'release'> {
  readonly url: string;
  close(): Promise<void>;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly tried: Set<Upstream>;
}

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer | undefined> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= maxBodyBytes) pieces.push(piece);
  }
  return bytes <= maxBodyBytes ? Buffer.concat(pieces) : undefined;
};

const refuse = (response: ServerResponse, status: number, reason: string): void => {
  if (response.headersSent) return void response.destroy();
  const again = status === 503 ? { 'Retry-After': '1' } : {};
  response.writeHead(status, { 'Content-Type': 'text/plain', ...again }).end(`${reason}\n`);
};

/** The body was read whole, so its length is known, however it was sent. */
const headersFor = ({ incoming, body }: Exchange): string[] => [
  ...passedOn(incoming.rawHeaders, ['x-forwarded-for', 'content-length']),
  ...['X-Forwarded-For', forwardedFor(incoming.rawHeaders, incoming.socket.remoteAddress ?? '')],
  ...(body.length > 0 || incoming.headers['content-length'] !== undefined
    ? ['Content-Length', String(body.length)]
    : []),
];

const createForwarding = (pool: UpstreamPool, agent: Agent) => {
  const forward = (exchange: Exchange): void => {
    const { incoming, response, body, tried } = exchange;
    const upstream = pool.next(tried);
    if (upstream === undefined) return refuse(response, 503, 'no replica is ready');
    tried.add(upstream);
    const outgoing = request({
      ...{ host: '127.0.0.1', port: upstream.port, agent, timeout: answerTimeoutMs },
      ...{ method: incoming.method ?? 'GET', path: incoming.url ?? '/', headers: headersFor(exchange) },
    });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, passedOn(answer.rawHeaders));
      answer.on('error', () => response.destroy()).pipe(response);
    });
    outgoing.on('timeout', () => {
      refuse(response, 504, 'the replica did not answer in time');
      outgoing.destroy();
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // Another replica is asked only for what this one surely has not received.
      if (error.code !== 'ECONNREFUSED') return refuse(response, 502, 'the replica broke the connection');
      pool.refused(upstream);
      forward(exchange);
    });
    response.on('close', () => outgoing.destroy());
    outgoing.end(body);
  };
  return forward;
};

/**
 * A small HTTP proxy in front of the replicas of one service, as an ingress: round robin over those that are ready, Host as it came, the
 * caller's address added to X-Forwarded-For. It answers 502 when a replica breaks the connection, 503 when none is ready, 504 after 15 s.
 */
export const startReverseProxy = async (
  port: number,
  upstreams: readonly Upstream[],
): Promise<ReverseProxy> => {
  const pool = createUpstreamPool(upstreams);
  const agent = new Agent({ keepAlive: true });
  const forward = createForwarding(pool, agent);
  const server = createServer((incoming, response) => {
    const serve = async () => {
      const body = await bodyOf(incoming);
      if (body === undefined) refuse(response, 413, 'the body is too large');
      else forward({ incoming, response, body, tried: new Set() });
    };
    serve().catch(() => response.destroy());
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    ready: pool.ready,
    hold: pool.hold,
    release: pool.release,
    close: async () => {
      pool.close();
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
};
