import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import * as game from '#libs/contracts/api/game.ts';
import * as launcher from '#libs/contracts/api/launcher.ts';
import { endpoint } from '#libs/contracts/endpoint.ts';
import type { Shed } from '#libs/contracts/endpoint.ts';
import { route } from '#libs/http/route.ts';
import { serveRoutes } from '../support/http-server.ts';
import { until } from '../support/eventually.ts';
import { holdAnswers } from '../support/held-answers.ts';

const contractOf = (shed: Shed) =>
  endpoint({
    ...{ name: shed, method: 'GET', path: `/${shed}`, summary: 'Waits.', auth: 'none', shed },
    ...{ data: z.object({}), errors: [] },
  });

/** A server whose heartbeats (`/last`) wait until they are released; session starts (`/first`) wait for nothing. */
const serve = async (maxConnections = 200) => {
  const { wait, waiting, release } = holdAnswers();
  const routes = [route(contractOf('first'), async () => ({})), route(contractOf('last'), wait)];
  const server = await serveRoutes(routes, { maxConnections });
  const ask = (path: string) => fetch(`${server.url}${path}?query=1`);
  /** What a connection hears that sends this, and no more. */
  const hear = async (text: string): Promise<string> => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(text);
    const [heard] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return String(heard);
  };
  return { ...server, ask, hear, waiting, release };
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

test('it refuses before a body has come, and those who are refused together are not told the same (D-46)', async () => {
  const { ask, hear, waiting, release, stop } = await serve();
  const heartbeats = Array.from({ length: 110 }, () => ask('/last'));
  await until(() => waiting() === 110, '110 heartbeats are in hand');
  await until(async () => (await ask('/first')).status === 200, 'a start is taken');

  const rest = keepBusy();
  const head = 'GET /first HTTP/1.1\r\nHost: a\r\nContent-Length: 16000\r\n\r\n';
  const heard: string[] = [];
  await until(async () => {
    if (!(await ask('/first').then(({ status }) => status === 503))) return false;
    heard.push(await hear(head));
    return heard.length === 40;
  }, '40 starts are refused');
  rest();
  release();
  await Promise.all(heartbeats);
  await stop();

  expect(heard.every((text) => text.startsWith('HTTP/1.1 503 '))).toBe(true);
  const pauses = heard.map((text) => /retry-after: (\d)/i.exec(text)?.[1]);
  expect(new Set(pauses)).toEqual(new Set(['1', '2', '3']));
});

test('a connection that is one too many is not reset: it hears 503 with when to come back, and is closed (D-46)', async () => {
  const { port, ask, stop } = await serve(2);
  const others = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(others.map((socket) => once(socket, 'connect')));

  const refused = await ask('/first');
  for (const socket of others) socket.destroy();

  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toMatch(/^[123]$/);
  expect(refused.headers.get('connection')).toBe('close');
  await until(async () => (await ask('/first')).status === 200, 'there is room again');
  await stop();
});

/** A connection that has come to a server which has as many as it takes, and is known to it. */
const beOneTooMany = async () => {
  const { port, ask, stop } = await serve(2);
  const others = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(others.map((socket) => once(socket, 'connect')));
  const cameAt = performance.now();
  const third = connect(port, '127.0.0.1');
  await once(third, 'connect');
  await ask('/first');
  const end = async () => {
    for (const socket of [...others, third]) socket.destroy();
    await stop();
  };
  return { third, cameAt, end };
};

test('it hears so although its request comes late, and its body never (D-46)', async () => {
  const { third, cameAt, end } = await beOneTooMany();

  await until(() => performance.now() > cameAt + 500, 'half of the time that it has');
  third.write('POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n');
  const [heard] = (await once(third, 'data')) as [Buffer];
  await end();

  expect(String(heard)).toMatch(/^HTTP\/1\.1 503 /);
});

test('it hears so although the process stood still for longer than it has (D-46)', async () => {
  const { third, end } = await beOneTooMany();

  third.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\n');
  const standsUntil = performance.now() + 1_200;
  while (performance.now() < standsUntil);
  const [heard] = (await once(third, 'data')) as [Buffer];
  await end();

  expect(String(heard)).toMatch(/^HTTP\/1\.1 503 /);
});

test('a process that stops while it has no time takes what comes as soon as it has', async () => {
  const { port, ask, waiting, release, stop } = await serve();
  const opened = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  for (const socket of opened) socket.write('GET /first HTTP/1.1\r\n');
  const heartbeats = Array.from({ length: 110 }, () => ask('/last'));
  await until(() => waiting() === 110, '110 heartbeats are in hand');
  const rest = keepBusy();
  await until(async () => (await ask('/first')).status === 503, 'a start is refused');

  const stopped = stop();
  rest();
  await until(async () => {
    const socket = opened.pop();
    if (socket === undefined) throw new Error('no start was taken');
    socket.write('Host: a\r\n\r\n');
    const [heard] = (await once(socket, 'data')) as [Buffer];
    return String(heard).startsWith('HTTP/1.1 200 ');
  }, 'a start is taken');
  for (const socket of opened) socket.destroy();
  release();

  await stopped;
  await Promise.all(heartbeats);
});

test('the product names them in that order: session starts, tokens, verifies, and heartbeats and ends last (D-46)', () => {
  const shedOf = (endpoints: readonly { readonly name: string; readonly shed?: Shed }[]) =>
    endpoints.map(({ shed = 'last' }) => shed);

  expect(shedOf([launcher.startSession, launcher.requestOtt, game.verify])).toEqual([
    'first',
    'second',
    'third',
  ]);
  const beatsAndEnds = [game.heartbeat, game.end, game.heartbeats, game.ends];
  expect(shedOf([...beatsAndEnds, launcher.heartbeatSession, launcher.endSession])).toEqual(
    Array(6).fill('last'),
  );
});

test('requests that wait behind another one of their connection are out of hand when it is lost (D-46)', async () => {
  const waits = route(contractOf('second'), async ({ incoming }) =>
    incoming.headers['x-waits'] === undefined ? {} : new Promise(() => undefined),
  );
  const { url, port, stop } = await serveRoutes([waits]);
  const isTaken = async () => (await fetch(`${url}/second`)).status === 200;
  const areTaken = async () => (await Promise.all(Array.from({ length: 90 }, isTaken))).every(Boolean);
  const another = 'GET /second HTTP/1.1\r\nHost: a\r\nX-Waits: yes\r\n\r\n';
  const pipelined: Socket[] = [];
  await until(async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    pipelined.push(socket);
    socket.write(another.repeat(50));
    return !(await isTaken());
  }, 'so many are in hand as may be');

  for (const socket of pipelined) socket.resetAndDestroy();

  await until(areTaken, 'as many are taken as before');
  await stop();
});
