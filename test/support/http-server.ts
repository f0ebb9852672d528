import { httpServer } from '#libs/http/server.ts';
import type { HttpOptions } from '#libs/http/server.ts';
import type { Route } from '#libs/http/route.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { freePort } from '../../deploy/local/free-port.ts';

/** The HTTP server that services have, started with these routes on a free port of this machine. `own`: what is not as usual. */
export const serveRoutes = async (routes: readonly Route[], own: Partial<HttpOptions> = {}) => {
  const port = await freePort(0);
  const server = httpServer({
    ...{ host: '127.0.0.1', port, keepAliveMs: 1_000, maxConnections: 1_000 },
    ...{ routes, document: {}, authenticate: {}, metrics: createMetrics('ott') },
    security: () => undefined,
    log: createLog({ service: 'test', instance: 'test', level: 'error' }),
    ...own,
  });
  await server.start(() => undefined);
  return { ...server, port, url: `http://127.0.0.1:${port}` };
};
