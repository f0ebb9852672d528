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
