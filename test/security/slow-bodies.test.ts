import { connect } from 'node:net';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { route } from '#libs/http/route.ts';
import { serveRoutes } from '../support/http-server.ts';

const contract = endpoint({
  ...{ name: 'start', method: 'POST', path: '/start', summary: 'Waits for nothing.', auth: 'none' },
  ...{ body: z.object({}), data: z.object({}), errors: [], shed: 'first' },
});

/** Sends the head of a request with the longest body that is taken, and the first byte of that. */
const beginSlowly = (port: number) =>
  new Promise<() => void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const head = 'POST /start HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 16000';
    socket.on('error', reject);
    socket.write(`${head}\r\n\r\n{`, () => resolve(() => socket.destroy()));
  });

test('bodies that do not arrive keep nobody out: a request is in hand when its body has come (D-46)', async () => {
  const { port, ...server } = await serveRoutes([route(contract, async () => ({}))]);
  const slow = await Promise.all(Array.from({ length: 200 }, () => beginSlowly(port)));
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/start`, {
      ...{ method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } },
    });

  const statuses: number[] = [];
  for (let count = 0; count < 20; count += 1) statuses.push((await ask()).status);
  for (const end of slow) end();
  await server.stop();

  expect(statuses).toEqual(statuses.map(() => 200));
});

/** Connects, sends this, and never closes its side: resolves to how long the other side lets it. */
const clingOn = (port: number, text: string) =>
  new Promise<number>((resolve) => {
    const began = performance.now();
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timer = setInterval(() => socket.write('x'), 100);
    socket.write(text);
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve(performance.now() - began);
    });
  });

test('whose request does not come in ten seconds has one more to read that, and no longer, however he clings on (D-44)', async () => {
  const { port, ...server } = await serveRoutes([route(contract, async () => ({}))]);

  expect(await clingOn(port, 'GET / HTTP/1.1\r\nX-Slow: ')).toBeLessThan(14_000);
  await server.stop();
}, 30_000);
