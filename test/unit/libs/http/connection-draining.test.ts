import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createConnectionDraining } from '#libs/http/connection-draining.ts';

const requestTimeoutMs = 300;

/** A server that answers a whole request after this many ms. */
const serve = async (answersAfterMs: number) => {
  const draining = createConnectionDraining();
  const server = createServer((request, response) => {
    draining.track(response);
    request.resume();
    request.once('end', () => setTimeout(() => response.end('done'), answersAfterMs));
  });
  server.on('connection', draining.connected);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => draining.close(server, requestTimeoutMs),
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
  return { closed: once(socket, 'close').then(() => heard) };
};
const head = (length: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

test('a server that stops cuts who has sent nothing or half a request in time, and answers who has sent a whole one, however long that takes', async () => {
  const { port, stop } = await serve(3 * requestTimeoutMs);
  const callers = await Promise.all(['', head(16_000), `${head(2)}{}`].map((text) => say(port, text)));
  await new Promise((sent) => setTimeout(sent, requestTimeoutMs / 3));

  const stopped = stop();
  const heard = await Promise.all(callers.map(({ closed }) => closed));
  await stopped;

  expect(heard).toEqual(['', '', expect.stringMatching(/^HTTP\/1\.1 200 .*connection: close.*done$/is)]);
});
