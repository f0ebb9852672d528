import { connect } from 'node:net';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { route, streamRoute } from '#libs/http/route.ts';
import { until } from '../support/eventually.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { serveRoutes } from '../support/http-server.ts';

const start = endpoint({
  ...{ name: 'start', method: 'POST', path: '/start', summary: 'Begins.', auth: 'none' },
  ...{ body: z.object({}), data: z.object({}), errors: [], shed: 'first' },
});
const wait = endpoint({
  ...{ name: 'wait', method: 'GET', path: '/wait', summary: 'Waits.', auth: 'none' },
  ...{ data: z.object({}), errors: [] },
});
const failing = endpoint({
  ...{ name: 'fail', method: 'GET', path: '/fail', summary: 'Fails.', auth: 'none' },
  ...{ data: z.unknown(), errors: [] },
});
const fails = async () => ({
  headers: { 'Content-Type': 'text/plain' },
  chunks: (async function* () {
    yield 'begun';
    throw new Error('what it reads has gone');
  })(),
});

const streamed = endpoint({
  ...{ name: 'stream', method: 'GET', path: '/stream', summary: 'Streams.', auth: 'none' },
  ...{ data: z.unknown(), errors: [] },
});
const chunks = () =>
  (async function* () {
    for (let count = 0; count < 3; count += 1) yield 'a chunk';
  })();

/** Longer than what the kernel keeps for a reader who reads nothing. */
const document = { text: 'x'.repeat(8_000_000) };
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const brokenStart =
  'POST /start HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n!';

const serve = async () => {
  const { wait: waits, waiting, release } = holdAnswers();
  const noted: unknown[] = [];
  const security = (...event: unknown[]) => void noted.push(event);
  const beginning = holdAnswers();
  const streams = async () => {
    await beginning.wait();
    return { headers: { 'Content-Type': 'text/plain' }, chunks: chunks() };
  };
  const routes = [
    ...[route(start, async () => ({})), route(wait, waits)],
    ...[streamRoute(failing, fails), streamRoute(streamed, streams)],
  ];
  const server = await serveRoutes(routes, { security, document });
  const open = () => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    let heard = '';
    socket.on('data', (data) => (heard += String(data)));
    const answers = () => heard.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(-3))) ?? [];
    const closed = new Promise((resolve) => socket.once('close', resolve));
    return { socket, answers, closed };
  };
  const begins = () =>
    fetch(`${server.url}/start`, {
      ...{ method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } },
    });
  return { ...server, noted, open, begins, waiting, release, beginning };
};

const tooMany = ['connection.failed', { reason: 'PIPELINED' }];

type Connection = ReturnType<Awaited<ReturnType<typeof serve>>['open']>;
/** Asks on as often as a connection may, and hears every answer. */
const findsRoom = async ({ socket, answers }: Connection): Promise<void> => {
  socket.write(get('/nowhere').repeat(60));
  await until(() => answers().length === 60, 'there is room');
  socket.destroy();
};

test('who asks on before he is answered is answered in order, 64 times; one who does not stop there is cut', async () => {
  const { open, waiting, release, noted, stop } = await serve();
  const [within, beyond] = [open(), open()];

  within.socket.write(get('/wait') + get('/nowhere').repeat(64));
  beyond.socket.write(get('/wait') + get('/nowhere').repeat(2_000));
  await beyond.closed;
  await until(() => waiting() === 2, 'the first of each is in hand');
  release();
  await until(() => within.answers().length === 65, 'all are answered');
  within.socket.destroy();
  await stop();

  expect(beyond.answers()).toEqual([]);
  expect(within.answers()).toEqual([200, ...Array.from({ length: 64 }, () => 404)]);
  expect(noted).toEqual([tooMany]);
});

test('all who ask on have a bound together, and it is theirs alone: who waits for his answer gets it', async () => {
  const { open, begins, noted, stop } = await serve();

  const crowd = Array.from({ length: 40 }, open);
  for (const { socket } of crowd) socket.write(get('/wait') + get('/nowhere').repeat(60));
  await until(() => noted.length >= 6, 'those who are too many are cut');
  const { status } = await begins();
  for (const { socket } of crowd) socket.destroy();
  await Promise.all(crowd.map(({ closed }) => closed));
  await findsRoom(open());
  await stop();

  expect(status).toBe(200);
  expect(noted).toEqual(Array.from({ length: 6 }, () => tooMany));
});

test('who sends CONNECT behind too many takes no room from others', async () => {
  const { open, noted, stop } = await serve();
  const before = get('/nowhere').repeat(66);

  for (let round = 0; round < 42; round += 1) {
    const crowd = Array.from({ length: 50 }, open);
    for (const { socket } of crowd) socket.write(`${before}CONNECT a:1 HTTP/1.1\r\n\r\n`);
    await Promise.all(crowd.map(({ closed }) => closed));
  }
  await findsRoom(open());
  await stop();

  expect(noted.length).toBeGreaterThan(2_048);
}, 30_000);

test('who reads no answer keeps nobody out: a request is out of hand when it is answered (D-46)', async () => {
  const { open, begins, stop } = await serve();
  const silent = Array.from({ length: 4 }, open);

  for (const { socket } of silent) {
    socket.pause();
    socket.write(get('/openapi.json') + brokenStart.repeat(60));
  }
  for (const { socket } of silent)
    await until(() => socket.bytesWritten > 60 * brokenStart.length, 'all is sent');
  const areTaken = async () => {
    const statuses = [];
    for (let count = 0; count < 20; count += 1) statuses.push((await begins()).status);
    return statuses.every((status) => status === 200);
  };
  await until(areTaken, 'others are taken');
  expect(silent.map(({ socket }) => socket.destroyed)).not.toContain(true);
  for (const { socket } of silent) socket.destroy();
  await stop();
});

test('what fails while others are answered before it cuts its connection in its turn, and not before', async () => {
  const { open, waiting, release, stop } = await serve();
  const { socket, answers, closed } = open();

  socket.write(get('/wait') + get('/fail') + get('/nowhere'));
  await until(() => waiting() === 1, 'the first is in hand');
  release();
  await closed;
  await stop();

  expect(answers()[0]).toBe(200);
  expect(answers()).not.toContain(404);
});

test.each([
  ['before his stream has begun', 'GET', false],
  ['whose stream is to have no body', 'HEAD', true],
])(
  'who goes while another of his requests is answered, %s, leaves his place to others',
  async (_, method, hasBegun) => {
    const { url, open, beginning, stop } = await serve();
    const eight = Array.from({ length: 8 }, open);
    for (const { socket } of eight)
      socket.write(`${get('/wait')}${method} /stream HTTP/1.1\r\nHost: a\r\n\r\n`);
    await until(() => beginning.waiting() === 8, 'all places are taken');

    if (hasBegun) beginning.release();
    for (const { socket } of eight) socket.destroy();
    await Promise.all(eight.map(({ closed }) => closed));
    beginning.release();

    await until(async () => (await fetch(`${url}/stream`)).status === 200, 'there is room again');
    await stop();
  },
);
