import { once } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { route, streamRoute } from '#libs/http/route.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { until } from '../support/eventually.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { serveRoutes } from '../support/http-server.ts';

const contract = endpoint({
  ...{ name: 'start', method: 'POST', path: '/start', summary: 'Waits.', auth: 'none' },
  ...{ body: z.object({}), data: z.object({}), errors: [], shed: 'first' },
});

/** A server whose requests wait to be answered; a connection to it, and what that hears. */
const begin = async () => {
  const { wait, waiting, release } = holdAnswers();
  const noted: string[] = [];
  const security = (name: string) => void noted.push(name);
  const server = await serveRoutes([route(contract, wait)], { security });
  const here = { port: server.port, host: '127.0.0.1', allowHalfOpen: true };
  const socket = connect(here).on('error', () => undefined);
  let heard = '';
  socket.on('data', (data) => (heard += String(data)));
  await once(socket, 'connect');
  const answers = () => heard.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(-3))) ?? [];
  return { ...server, socket, waiting, release, noted, heard: () => heard, answers };
};

const head = 'POST /start HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const whole = `${head}Content-Length: 2\r\n\r\n{}`;
const tunnel = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
const tooMuch = 200_000;

test.each([
  ['that says its length', `Content-Length: ${tooMuch}\r\n\r\n${' '.repeat(tooMuch)}`],
  [
    'in chunks',
    `Transfer-Encoding: chunked\r\n\r\n${tooMuch.toString(16)}\r\n${' '.repeat(tooMuch)}\r\n0\r\n\r\n`,
  ],
])('a body %s and is too long leaves its connection to whoever comes next', async (_, body) => {
  const { socket, answers, stop } = await begin();

  socket.write(head + body);
  await until(() => answers().length === 1, 'the body is refused');
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => answers().length === 2, 'the next request is answered');
  socket.destroy();
  await stop();

  expect(answers()).toEqual([413, 200]);
});

test('what is no HTTP and comes behind a request in hand does not answer it: the connection closes after its answer', async () => {
  const { url, socket, waiting, release, answers, heard, stop } = await begin();

  socket.write(`${whole}nonsense\r\n\r\n`);
  await until(() => waiting() === 1, 'the request is in hand');
  socket.write('more nonsense\r\n\r\n');
  await fetch(`${url}/openapi.json`);
  const heardBefore = heard();
  release();
  await once(socket, 'end');
  socket.destroy();
  await stop();

  expect(heardBefore).toBe('');
  expect(answers()).toEqual([200]);
  expect(heard()).toMatch(/connection: close/i);
});

test.each([
  ['half a request that is none', `${head}Transfer-Encoding: chunked\r\n\r\nno chunk\r\n`],
  ['CONNECT', tunnel],
])('%s, behind a request in hand, does not answer that either', async (_, behind) => {
  const { url, socket, waiting, release, answers, stop } = await begin();

  socket.write(whole + behind);
  await until(() => waiting() === 1, 'the first is in hand');
  await fetch(`${url}/openapi.json`);
  release();
  await once(socket, 'end');
  socket.destroy();
  await stop();

  expect(answers()).toEqual([200]);
});

test('a connection over which no HTTP comes is told so and noted once, however much comes', async () => {
  const { url, socket, noted, answers, stop } = await begin();

  for (let count = 0; count < 5; count += 1) {
    socket.write('nonsense\r\n\r\n');
    await fetch(`${url}/openapi.json`);
  }
  await until(() => answers().length > 0, 'an answer');
  socket.destroy();
  await stop();

  expect(answers()).toEqual([400]);
  expect(noted).toEqual(['connection.failed']);
});

test('CONNECT is no HTTP as we read it', async () => {
  const { socket, noted, answers, stop } = await begin();

  socket.write(tunnel);
  await once(socket, 'end');
  socket.destroy();
  await stop();

  expect(answers()).toEqual([400]);
  expect(noted).toEqual(['connection.failed']);
});

test('who sends CONNECT behind as many requests as there is room for, and goes, leaves that room to others (D-46)', async () => {
  const { url, port, waiting, release, stop } = await begin();
  const ask = () =>
    fetch(`${url}/start`, {
      ...{ method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } },
    });

  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) socket.write(whole.repeat(50) + tunnel);
  await until(() => waiting() >= 100, 'they are in hand');
  for (const socket of sockets) socket.destroy();
  release();
  const askTogether = () => Promise.all(Array.from({ length: 50 }, ask));
  await until(async () => (await askTogether()).every(({ status }) => status === 200), 'room for others');
  await stop();
});

const long = endpoint({
  ...{ name: 'long', method: 'GET', path: '/long', summary: 'Tells much.', auth: 'none' },
  ...{ data: z.unknown(), errors: [] },
});
const chunk = 'x'.repeat(100_000);
const streamed = async () => ({
  headers: { 'Content-Type': 'text/plain' },
  chunks: (async function* () {
    for (let count = 0; count < 200; count += 1) yield chunk;
  })(),
});

test('an answer that is longer than its reader is fast comes whole, although CONNECT comes behind its request', async () => {
  const server = await serveRoutes([streamRoute(long, streamed)]);
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  socket.write(`GET /long HTTP/1.1\r\nHost: a\r\n\r\n${tunnel}`);
  await once(socket, 'readable');

  let heard = 0;
  socket.on('data', ({ length }: Buffer) => (heard += length));
  await once(socket, 'close');
  await server.stop();

  expect(heard).toBeGreaterThan(200 * chunk.length);
});

test.each([
  ['POST /nowhere', 404],
  ['HEAD /openapi.json', 200],
])('bodies that nobody asked for, behind a request in hand, are not kept: %s', async (what, status) => {
  const { socket, waiting, release, answers, stop } = await begin();
  const nowhere = `${what} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
  socket.write(whole);
  await until(() => waiting() === 1, 'the request is in hand');
  collectGarbage();
  const before = process.memoryUsage().heapUsed;

  socket.write(`${nowhere}${'1\r\nx\r\n'.repeat(50_000)}0\r\n\r\n`.repeat(5));
  socket.write(whole);
  await until(() => waiting() === 2, 'another one behind them is in hand');
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  release();
  await until(() => answers().length === 7, 'all are answered');
  socket.destroy();
  await stop();

  expect(answers()).toEqual([200, ...Array.from({ length: 5 }, () => status), 200]);
  expect(grown).toBeLessThan(20_000_000);
});
