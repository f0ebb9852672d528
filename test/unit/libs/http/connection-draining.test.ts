import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createConnectionDraining } from '#libs/http/connection-draining.ts';
import { send, written } from '#libs/http/written-response.ts';
import { until } from '../../../support/eventually.ts';
import { ownTimeouts } from '../../../support/own-timeouts.ts';

const requestTimeoutMs = 300;
afterEach(() => void jest.useRealTimers());

/** A server that answers nothing by itself: how many have come to it, and what there is to answer of the first request that began, and of those that came whole. */
const serve = async () => {
  const draining = createConnectionDraining();
  const come = { connections: 0, requests: 0 };
  const begun = Promise.withResolvers<ServerResponse>();
  const whole: ServerResponse[] = [];
  const server = createServer((request, response) => {
    come.requests += 1;
    if (!draining.track(response)) return;
    begun.resolve(response);
    request.resume();
    request.once('end', () => whole.push(response));
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    come.connections += 1;
    draining.connected(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    haveCome: () => `${come.connections} connections, ${come.requests} requests`,
    begun: begun.promise,
    whole: async (count: number): Promise<ServerResponse[]> => {
      await until(() => whole.length === count, `${count} whole requests`);
      return whole;
    },
    stop: (timeoutMs = requestTimeoutMs) => draining.close(server, timeoutMs),
  };
};

/** Sends this, and resolves to what came when the connection is closed. */
const say = async (port: number, text: string) => {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return { socket, closed: once(socket, 'close').then(() => heard) };
};
const head = (length: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

test('a server that stops cuts who has sent nothing or half a request in time, and answers who has sent a whole one, however long that takes', async () => {
  const { port, haveCome, whole, stop } = await serve();
  const [silent, half, patient] = await Promise.all([
    say(port, ''),
    say(port, head(16_000)),
    say(port, `${head(2)}{}`),
  ]);
  const [response] = await whole(1);
  await until(() => haveCome() === '3 connections, 2 requests', 'all to come');

  const stopped = stop();
  const heard = await Promise.all([silent.closed, half.closed]);
  response?.end('done');
  heard.push(await patient.closed);
  await stopped;

  expect(heard).toEqual(['', '', expect.stringMatching(/^HTTP\/1\.1 200 .*connection: close.*done$/is)]);
});

test('it cuts no answer that waits for the rest of its request', async () => {
  const { port, begun, stop } = await serve();
  const { closed } = await say(port, head(16_000));
  const response = await begun;

  const stopped = stop();
  send(response, written({ status: 404, headers: {}, body: {} }));
  const heard = await closed;
  await stopped;

  expect(heard).toMatch(/^HTTP\/1\.1 404 /);
});

const bodiesIn = (heard: string): string[] => heard.match(/(?<=\r\n\r\n|\d\r\n)(first|second)/g) ?? [];

test.each(['before', 'while'])(
  'it answers each of two that came over one connection, the second one %s it stops',
  async (when) => {
    const { port, whole, stop } = await serve();
    const { socket, closed } = await say(port, `${head(2)}{}`);
    await whole(1);
    if (when === 'before') {
      socket.write(`${head(2)}{}`);
      await whole(2);
    }

    const stopped = stop();
    if (when === 'while') socket.write(`${head(2)}{}`);
    const [first, second] = await whole(2);
    first?.end('first');
    second?.end('second');
    const heard = await closed;
    await stopped;

    expect(bodiesIn(heard)).toEqual(['first', 'second']);
    expect(heard.match(/(?<=connection: )\w+/gi)).toEqual(['keep', 'close']);
  },
);

const longAnswer = 'x'.repeat(20_000_000);

/** Asks, and reads nothing of a long answer until it is let. */
const readSlowly = async ({ port, whole }: Awaited<ReturnType<typeof serve>>, before: number) => {
  const { socket, closed } = await say(port, `${head(2)}{}`);
  socket.pause();
  (await whole(before + 1))[before]?.end(longAnswer);
  return { read: () => socket.resume(), closed };
};

test('it answers what was sent before its callers could know that it stops, and tells them that their connections close', async () => {
  const { port, whole, stop } = await serve();
  const kept = await say(port, `${head(2)}{}`);
  (await whole(1))[0]?.end('first');
  await once(kept.socket, 'data');

  const stopped = stop(10_000);
  kept.socket.write(`${head(2)}{}`);
  const fresh = await say(port, `${head(2)}{}`);
  for (const response of (await whole(3)).slice(1)) response.end('second');
  const heard = await Promise.all([kept.closed, fresh.closed]);
  await stopped;

  expect(heard.map(bodiesIn)).toEqual([['first', 'second'], ['second']]);
  for (const text of heard) expect(text).toMatch(/connection: close/i);
});

test('it cuts no answer that is written and not sent yet', async () => {
  const server = await serve();
  const slow = await readSlowly(server, 0);

  const stopped = server.stop();
  slow.read();
  const heard = await slow.closed;
  await stopped;

  expect(heard.length).toBeGreaterThan(longAnswer.length);
});

test('it closes the connection of an answer whose head had said that it is kept, though others wait to be sent', async () => {
  const server = await serve();
  const { closed } = await say(server.port, `${head(2)}{}`);
  const { closed: cut } = await say(server.port, '');
  const [response] = await server.whole(1);
  response?.write('begun');
  const slow = await readSlowly(server, 1);

  const stopped = server.stop();
  await cut;
  response?.end('over');
  const heard = await closed;
  slow.read();
  await stopped;

  expect(heard).toMatch(/connection: keep-alive.*begun.*over/is);
});

test('it closes idle connections when nothing that is written waits any more', async () => {
  const server = await serve();
  const idle = await say(server.port, `${head(2)}{}`);
  (await server.whole(1))[0]?.end('first');
  await once(idle.socket, 'data');
  const slow = await readSlowly(server, 1);

  const stopped = server.stop(60_000);
  slow.read();
  const [long, short] = await Promise.all([slow.closed, idle.closed]);
  await stopped;

  expect(long.length).toBeGreaterThan(longAnswer.length);
  expect(bodiesIn(short)).toEqual(['first']);
});

test('it begins nothing that comes behind an answer that has closed the connection', async () => {
  const { port, haveCome, whole, stop } = await serve();
  const { socket, closed } = await say(port, `${head(2)}{}`);
  await whole(1);

  const stopped = stop();
  socket.write(`${head(2)}{}`);
  const [first, second] = await whole(2);
  second?.end('second');
  socket.write(`${head(2)}{}`);
  await until(() => haveCome() === '1 connections, 3 requests', 'a third one to come');
  first?.end('first');
  const heard = await closed;
  await stopped;

  expect(bodiesIn(heard)).toEqual(['first', 'second']);
  expect(await whole(2)).toHaveLength(2);
});

test('it stops though somebody always sends the next request before the last one is answered', async () => {
  const { port, whole, stop } = await serve();
  const { socket, closed } = await say(port, `${head(2)}{}`);
  const taken = await whole(1);

  ownTimeouts();
  const stopped = stop();
  let tick = 0;
  const timer = setInterval(() => {
    socket.write(`${head(2)}{}`);
    taken[tick - 5]?.end('x');
    tick += 1;
  }, 20);
  await until(() => taken.length > 5, 'more to be taken');
  jest.advanceTimersByTime(requestTimeoutMs);
  // What he sends to a connection that is closed may reset it.
  await Promise.allSettled([closed]);
  clearInterval(timer);
  await stopped;
});
