import { once } from 'node:events';
import { connect } from 'node:net';
import { serveRoutes } from '../support/http-server.ts';
import { until } from '../support/eventually.ts';

const continued = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Asks for what is not there over a connection that is closed after that, and holds the body back. */
const begin = async () => {
  const server = await serveRoutes([]);
  const socket = connect(server.port, '127.0.0.1');
  let heard = '';
  socket.on('error', () => undefined);
  socket.on('data', (data) => (heard += String(data)));
  const head = 'POST /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 16000\r\n';
  socket.write(`${head}Expect: 100-continue\r\n\r\n`);
  await until(() => heard !== '', 'its head has come');
  return { ...server, socket, heard: () => heard };
};

test('who closes his connection after a request is answered when all of it has come: what comes to a closed one would have the answer lost', async () => {
  const { url, socket, heard, stop } = await begin();

  await fetch(`${url}/nowhere`);
  const heardBefore = heard();
  socket.write(' '.repeat(16_000));
  await once(socket, 'close');
  await stop();

  expect(heardBefore).toBe(continued);
  expect(heard()).toContain('HTTP/1.1 404 ');
});

test('whose request does not come whole is answered within a second nevertheless', async () => {
  const { socket, heard, stop } = await begin();
  const began = performance.now();

  await once(socket, 'close');
  await stop();

  expect(heard()).toContain('HTTP/1.1 404 ');
  expect(performance.now() - began).toBeLessThan(3_000);
});
