import { connect } from 'node:net';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { route } from '#libs/http/route.ts';
import { until } from '../support/eventually.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { holdBody } from '../support/held-body.ts';
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

/** So many starts whose bodies are held back and sent together: how many of them wait for an answer then, and what each hears when they have one. */
const sendTogether = async (count: number, body: string) => {
  const { wait, waiting, release } = holdAnswers();
  const { port, stop } = await serveRoutes([route(contract, wait)]);
  const head = ['POST /start HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
  const begin = () => holdBody(port, [...head, `Content-Length: ${body.length}`]);
  const starts = await Promise.all(Array.from({ length: count }, begin));
  const answered = () => starts.filter(({ heard }) => heard() !== '').length;

  for (const { socket } of starts) socket.write(body);
  await until(() => waiting() + answered() === count, 'each waits or is answered');
  const inHand = waiting();
  release();
  await until(() => answered() === count, 'each is answered');
  for (const { socket } of starts) socket.destroy();
  await stop();
  return { inHand, statuses: starts.map(({ heard }) => heard().slice(0, 'HTTP/1.1 200 '.length)) };
};

test('bodies that are held back and sent together take no more in hand than there is room for (D-46)', async () => {
  const { inHand, statuses } = await sendTogether(200, '{}');

  // A process that is busy just then takes fewer.
  expect(inHand).toBeGreaterThanOrEqual(100);
  expect(inHand).toBeLessThanOrEqual(150);
  expect(statuses.filter((each) => each === 'HTTP/1.1 200 ')).toHaveLength(inHand);
  expect(statuses.filter((each) => each === 'HTTP/1.1 503 ')).toHaveLength(200 - inHand);
});

test('a start counts as one among what is in hand, whatever its caller, whom nobody knows yet, puts into it (D-46)', async () => {
  const { inHand } = await sendTogether(20, '{}'.padEnd(16_000));

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
