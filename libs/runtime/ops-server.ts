import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

const requestTimeoutMs = 5_000;

/** Returns the names of the components that are not there yet; empty: the probe succeeds. */
export type Probe = () => readonly string[];

/** What the ops port serves: three probes and the metrics. */
export interface Ops {
  readonly host: string;
  readonly port: number;
  readonly metrics: Metrics;
  readonly probes: Readonly<Record<'startup' | 'ready' | 'live', Probe>>;
}

/** An ops server that listens. */
export interface OpsServer {
  readonly port: number;
  close(): void;
}

interface OpsResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const json = (status: number, body: unknown): OpsResponse => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});

const probeResponse = (probe: Probe): OpsResponse => {
  const waitingFor = probe();
  return waitingFor.length === 0
    ? json(200, { status: 'ok', waiting_for: [] })
    : json(503, { status: 'waiting', waiting_for: waitingFor });
};

const respond = async (
  { metrics, probes }: Ops,
  { url: path, headers }: IncomingMessage,
): Promise<OpsResponse> => {
  switch (path) {
    case '/health/startup':
      return probeResponse(probes.startup);
    case '/health/ready':
      return probeResponse(probes.ready);
    case '/health/live':
      return probeResponse(probes.live);
    case '/metrics':
      return { status: 200, ...(await metrics.page(headers.accept)) };
    default:
      return json(404, { status: 'not found' });
  }
};

const serverOf = (ops: Ops): Server =>
  createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    request.resume();
    if (request.method !== 'GET') {
      response.writeHead(405, { allow: 'GET' }).end();
      return;
    }
    void respond(ops, request)
      .catch(() => json(500, { status: 'failed' }))
      .then(({ status, contentType, body }) =>
        response.writeHead(status, { 'content-type': contentType }).end(body),
      );
  });

/** Listens on the ops port (0: any free one); network policies keep it from the internet. Rejects when the port is taken. */
export const startOpsServer = async (ops: Ops): Promise<OpsServer> => {
  const server = serverOf(ops).listen(ops.port, ops.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
