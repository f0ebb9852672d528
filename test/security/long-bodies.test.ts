import { once } from 'node:events';
import { connect } from 'node:net';
import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { Refusal } from '#libs/contracts/errors.ts';
import { headerOf } from '#libs/http/incoming-request.ts';
import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import { route } from '#libs/http/route.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { until } from '../support/eventually.ts';
import { holdAnswers } from '../support/held-answers.ts';
import { serveRoutes } from '../support/http-server.ts';

const longest = 524_288;
/** So many of the longest bodies fit into 32 MiB. */
const thatFit = 64;

const batch = endpoint({
  ...{ name: 'batch', method: 'POST', path: '/batch', summary: 'Waits for nothing.', auth: 'api-key' },
  ...{ body: z.object({}), data: z.object({}), errors: [], maxBodyBytes: longest },
});
const waiting = endpoint({ ...batch, name: 'waiting', path: '/waiting', summary: 'Waits.', shed: 'first' });

/** A server of batches, for callers with the key `right`. */
const serve = async () => {
  const { wait, ...held } = holdAnswers();
  const [metrics, counts] = [createMetrics('ott'), { known: 0 }];
  const apiKey = async (incoming: IncomingRequest) => {
    if (headerOf(incoming, 'x-api-key') !== 'right') throw new Refusal('INVALID_API_KEY');
    counts.known += 1;
  };
  const routes = [route(batch, async () => ({})), route(waiting, wait)];
  const server = await serveRoutes(routes, { authenticate: { 'api-key': apiKey }, metrics });
  /** Sends the head of a batch and the first byte of its body, and no more. */
  const begin = (length: string, key = 'right', path = '/batch') => {
    const socket = connect(server.port, '127.0.0.1');
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Api-Key: ${key}\r\n${length}`;
    socket.write(`${head}\r\n\r\n${length.startsWith('Content') ? '{' : '1\r\n{\r\n'}`);
    return socket;
  };
  const ask = (bytes: number) =>
    fetch(`${server.url}/batch`, {
      ...{ method: 'POST', body: '{}'.padEnd(bytes) },
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': 'right' },
    });
  return { server, metrics, counts, begin, ask, ...held };
};

const heardBy = async (socket: ReturnType<typeof connect>): Promise<string> =>
  String(((await once(socket, 'data')) as [Buffer])[0]);

const announced = `Content-Length: ${longest}`;
const chunked = 'Transfer-Encoding: chunked';

test.each([announced, chunked])(
  'batches that do not arrive have 32 MiB together: one more hears 503 at once, and a short one is answered (D-46): %s',
  async (length) => {
    const { server, metrics, counts, begin, ask } = await serve();
    const slow = Array.from({ length: thatFit }, () => begin(length));
    await until(() => counts.known === thatFit, 'as many as fit have begun');

    const refused = begin(length);
    const heard = await heardBy(refused);
    const short = await ask(2);
    for (const socket of slow) socket.destroy();
    refused.destroy();

    expect(heard).toMatch(/^HTTP\/1\.1 503 .*retry-after: [123]\r\n.*UNAVAILABLE/is);
    expect(short.status).toBe(200);
    expect(await metrics.text()).toMatch(/gsb_http_shed_requests_total\{[^}]*"\/batch"[^}]*\} 1\n/);
    await until(async () => (await ask(longest)).status === 200, 'there is room again');
    await server.stop();
  },
);

test('a batch that is answered gives back what its body had, as often as may be (D-46)', async () => {
  const { server, ask } = await serve();

  const statuses: number[] = [];
  for (let count = 0; count <= thatFit; count += 1) statuses.push((await ask(longest)).status);
  await server.stop();

  expect(statuses).toEqual(statuses.map(() => 200));
});

test.each([announced, 'Content-Length: 16384'])(
  'who has no key hears so before his batch has come, and keeps nobody out (D-46): %s',
  async (length) => {
    const { server, begin, ask } = await serve();

    const keyless = Array.from({ length: thatFit + 1 }, () => begin(length, 'wrong'));
    const heard = await Promise.all(keyless.map(heardBy));
    const batchOfAnother = await ask(longest);
    for (const socket of keyless) socket.destroy();
    await server.stop();

    expect(heard.every((text) => text.startsWith('HTTP/1.1 401 '))).toBe(true);
    expect(batchOfAnother.status).toBe(200);
  },
);

test('a body above what its endpoint takes is 413, whatever room there is (D-02)', async () => {
  const { server, begin } = await serve();

  const socket = begin(`Content-Length: ${1_024 * longest}`);
  const heard = await heardBy(socket);
  socket.destroy();
  await server.stop();

  expect(heard).toMatch(/^HTTP\/1\.1 413 /);
});

test('a batch that does not say its length counts as the longest among what is in hand (D-46)', async () => {
  const { server, begin, waiting: countWaiting, release } = await serve();
  const inHand: ReturnType<typeof begin>[] = [];
  // A process that has no time just then refuses one, too.
  await until(async () => {
    const [socket, before] = [begin(chunked, 'right', '/waiting'), countWaiting()];
    socket.write('1\r\n}\r\n0\r\n\r\n');
    let isRefused = false;
    socket.once('data', () => (isRefused = true));
    await until(() => isRefused || countWaiting() > before, 'a batch is in hand, or refused');
    if (isRefused) socket.destroy();
    else inHand.push(socket);
    return inHand.length === 2;
  }, 'two batches are in hand');

  const refused = begin(chunked, 'right', '/waiting');
  refused.write('1\r\n}\r\n0\r\n\r\n');
  let heard = '';
  refused.once('data', (data) => (heard = String(data)));
  await until(() => heard !== '' || countWaiting() > 2, 'the third is refused or in hand');
  release();
  const answers = await Promise.all(inHand.map(heardBy));
  for (const socket of [...inHand, refused]) socket.destroy();
  await server.stop();

  expect(heard).toMatch(/^HTTP\/1\.1 503 /);
  expect(answers.every((text) => text.startsWith('HTTP/1.1 200 '))).toBe(true);
});
