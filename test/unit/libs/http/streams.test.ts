import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createStreams } from '#libs/http/streams.ts';
import { until } from '../../../support/eventually.ts';

const chunk = 'x'.repeat(1_000_000);
/** So much of it that no kernel keeps it all for a reader who reads nothing. */
async function* longBody(count = 60): AsyncGenerator<string> {
  for (let at = 0; at < count; at += 1) yield chunk;
}

/** A server that streams as long as there is room, else says 503; what has failed of it. */
const serve = async (most: number, waitMs: number) => {
  const streams = createStreams(most, waitMs);
  const failures: string[] = [];
  const server = createServer((request, response) => {
    const begin = async () => ({ headers: {}, chunks: longBody(request.url === '/short' ? 1 : 60) });
    void streams.open(response, begin).then((streamed) => {
      if (streamed === undefined) return void response.writeHead(503).end();
      pipeline(streamed.body, response, (error) => error && failures.push(String(error.code)));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  /** Asks, and reads no more than comes at once. */
  const askSilently = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'readable');
    return socket;
  };
  const statusOf = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/short`);
    await response.body?.cancel();
    return response.status;
  };
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { askSilently, statusOf, failures, close };
};

test('as many streams as there is room for are sent at once, whoever reads them; one more is refused until one of them is over (D-46)', async () => {
  const { askSilently, statusOf, close } = await serve(2, 60_000);
  const [gone] = [await askSilently(), await askSilently()];

  expect(await statusOf()).toBe(503);
  gone.destroy();
  await until(async () => (await statusOf()) === 200, 'there is room again');
  close();
});

test('whose reader leaves a chunk waiting for too long is cut, and gives its room to others', async () => {
  const { askSilently, statusOf, failures, close } = await serve(1, 300);
  await askSilently();

  await until(() => failures.length === 1, 'he is cut');
  expect(failures).toEqual(['SLOW_READER']);
  expect(await statusOf()).toBe(200);
  close();
});
