import { connect } from 'node:net';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { route } from '#libs/http/route.ts';
import { until } from '../support/eventually.ts';
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

/** A server whose starts wait until they are released. */
const serveWaiting = async () => {
  const released = Promise.withResolvers<Record<string, never>>();
  let waiting = 0;
  const wait = () => {
    waiting += 1;
    return released.promise;
  };
  const server = await serveRoutes([route(contract, wait)]);
  return { ...server, waiting: () => waiting, release: () => released.resolve({}) };
};

const continued = 'HTTP/1.1 100 Continue\r\n\r\n';
/** Sends the head of a start, which is taken, and holds its body back; what its connection hears after that. */
const beginWithoutBody = async (port: number, bodyBytes: number) => {
  const socket = connect(port, '127.0.0.1');
  const head = `POST /start HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bodyBytes}`;
  let heard = '';
  socket.on('data', (data) => (heard += String(data)));
  socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
  await until(() => heard.startsWith(continued), 'a head has come');
  return { socket, heard: () => heard.slice(continued.length) };
};

test('bodies that are held back and sent together take no more in hand than there is room for (D-46)', async () => {
  const { port, waiting, release, stop } = await serveWaiting();
  const starts = await Promise.all(Array.from({ length: 200 }, () => beginWithoutBody(port, 2)));
  const isRefused = ({ heard }: (typeof starts)[number]) => heard().startsWith('HTTP/1.1 503 ');

  for (const { socket } of starts) socket.write('{}');
  await until(() => waiting() + starts.filter(isRefused).length === 200, 'each waits or is refused');
  const inHand = waiting();
  release();
  await until(() => starts.every(({ heard }) => heard() !== ''), 'each is answered');
  for (const { socket } of starts) socket.destroy();
  await stop();

  // A process that is busy just then takes fewer.
  expect(inHand).toBeGreaterThanOrEqual(100);
  expect(inHand).toBeLessThanOrEqual(150);
  expect(starts.filter(({ heard }) => heard().startsWith('HTTP/1.1 200 '))).toHaveLength(inHand);
});

test('a start counts as one among what is in hand, whatever its caller, whom nobody knows yet, puts into it (D-46)', async () => {
  const { port, waiting, release, stop } = await serveWaiting();
  const starts = await Promise.all(Array.from({ length: 20 }, () => beginWithoutBody(port, 16_000)));

  for (const { socket } of starts) socket.write('{}'.padEnd(16_000));
  await until(() => starts.filter(({ heard }) => heard() !== '').length + waiting() === 20, 'each has come');
  const inHand = waiting();
  release();
  await until(() => starts.every(({ heard }) => heard() !== ''), 'each is answered');
  for (const { socket } of starts) socket.destroy();
  await stop();

  expect(inHand).toBe(20);
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
