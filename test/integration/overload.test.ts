import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import type { Shed } from '#libs/contracts/endpoint.ts';
import { route } from '#libs/http/route.ts';
import { httpServer } from '#libs/http/server.ts';
import { createLog } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { freePort } from '../../deploy/local/processes.ts';
import { until } from '../support/eventually.ts';

const contractOf = (shed: Shed) =>
  endpoint({
    ...{ name: shed, method: 'GET', path: `/${shed}`, summary: 'Waits.', auth: 'none', shed },
    ...{ data: z.object({}), errors: [] },
  });

/** A server whose heartbeats (`/last`) wait until they are released; session starts (`/first`) wait for nothing. */
const serve = async () => {
  const port = await freePort(0);
  const released = Promise.withResolvers<Record<string, never>>();
  let waiting = 0;
  const wait = () => {
    waiting += 1;
    return released.promise;
  };
  const server = httpServer({
    ...{ host: '127.0.0.1', port, keepAliveMs: 1_000, maxConnections: 200 },
    routes: [route(contractOf('first'), async () => ({})), route(contractOf('last'), wait)],
    ...{ document: {}, authenticate: {}, metrics: createMetrics('ott') },
    security: () => undefined,
    log: createLog({ service: 'test', instance: 'test', level: 'error' }),
  });
  await server.start(() => undefined);
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}?query=1`);
  return { ...server, ask, waiting: () => waiting, release: () => released.resolve({}) };
};

/** Leaves the event loop no time to rest, until it is stopped. */
const keepBusy = () => {
  let stopped = false;
  const spin = async (): Promise<void> => {
    while (!stopped) {
      const turnEnds = performance.now() + 5;
      while (performance.now() < turnEnds);
      await setImmediate();
    }
  };
  void spin();
  return () => (stopped = true);
};

test('a process that cannot keep up refuses session starts, with when to come back, and takes heartbeats (D-46)', async () => {
  const { ask, waiting, release, stop } = await serve();
  const heartbeats = Array.from({ length: 110 }, () => ask('/last'));
  await until(() => waiting() === 110, '110 heartbeats are in hand');
  await until(async () => (await ask('/first')).status === 200, 'a start is taken');

  const rest = keepBusy();
  let refused: Response | undefined;
  await until(async () => (refused = await ask('/first')).status === 503, 'a start is refused');
  const another = ask('/last');
  await until(() => waiting() === 111, 'another heartbeat is in hand');
  rest();
  release();

  expect(refused?.headers.get('retry-after')).toMatch(/^[123]$/);
  expect(await refused?.json()).toMatchObject({ success: false, error: { code: 'UNAVAILABLE' } });
  const answers = await Promise.all([...heartbeats, another]);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  await until(async () => (await ask('/first')).status === 200, 'a start is taken again');
  await stop();
});
