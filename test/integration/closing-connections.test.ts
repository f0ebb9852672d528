import { once } from 'node:events';
import type { HttpOptions } from '#libs/http/server.ts';
import { holdBody } from '../support/held-body.ts';
import { serveRoutes } from '../support/http-server.ts';

/** Asks for what is not there over a connection that is closed after that, and holds the body back. */
const begin = async (own?: Partial<HttpOptions>) => {
  const server = await serveRoutes([], own);
  const head = ['POST /nowhere HTTP/1.1', 'Host: a', 'Connection: close', 'Content-Length: 16000'];
  return { ...server, ...(await holdBody(server.port, head)) };
};

test('who closes his connection after a request is answered when all of it has come: what comes to a closed one would have the answer lost', async () => {
  const { url, socket, heard, stop } = await begin({ restWithinMs: 60_000 });

  await fetch(`${url}/nowhere`);
  const heardBefore = heard();
  socket.write(' '.repeat(16_000));
  // Nothing else has it answered while this test runs.
  await once(socket, 'close');
  await stop();

  expect(heardBefore).toBe('');
  expect(heard()).toContain('HTTP/1.1 404 ');
});

test('whose request does not come whole is answered within a second nevertheless', async () => {
  const { socket, heard, stop } = await begin();
  const began = performance.now();

  await once(socket, 'close');
  await stop();

  expect(heard()).toContain('HTTP/1.1 404 ');
  expect(performance.now() - began).toBeLessThan(5_000);
});
