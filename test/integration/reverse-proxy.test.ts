import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../deploy/local/free-port.ts';
import { startReverseProxy } from '../../deploy/local/reverse-proxy/reverse-proxy.ts';
import type { ReverseProxy } from '../../deploy/local/reverse-proxy/reverse-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/raw.ts';

const opened: { close(): unknown }[] = [];
afterAll(() => opened.map((each) => each.close()));

/** A replica that says its name, and what it was asked. */
const startReplica = async (name: string, answer?: RequestListener) => {
  const health = { ready: true };
  const server: Server = createServer((incoming, response) => {
    if (incoming.url === '/ready') return void response.writeHead(health.ready ? 200 : 503).end();
    if (answer) return answer(incoming, response);
    let body = '';
    incoming.on('data', (piece: Buffer) => (body += piece.toString()));
    incoming.on('end', () => {
      const { method, url, headers } = incoming;
      response.writeHead(200, { 'X-Replica': name });
      response.end(JSON.stringify({ name, method, url, headers, body }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  opened.push({ close });
  return { name, port, readyUrl: `http://127.0.0.1:${port}/ready`, health, close };
};
type Replica = Awaited<ReturnType<typeof startReplica>>;

const before = async (...replicas: readonly Replica[]): Promise<ReverseProxy> => {
  const proxy = await startReverseProxy(await freePort(0), replicas);
  opened.push(proxy);
  return proxy;
};
const askedBy = async (proxy: ReverseProxy, count: number) => {
  const names: unknown[] = [];
  for (let asked = 0; asked < count; asked += 1)
    names.push((await send({ method: 'GET', url: proxy.url })).headers['x-replica']);
  return names;
};

test('replicas are asked in turn', async () => {
  const proxy = await before(await startReplica('one'), await startReplica('two'));

  const [first, second, ...others] = await askedBy(proxy, 4);

  expect([first, second].toSorted()).toEqual(['one', 'two']);
  expect(others).toEqual([first, second]);
});

test("a request arrives as it was sent, with the caller's address added to X-Forwarded-For", async () => {
  const proxy = await before(await startReplica('one'));
  const headers = { Host: 'gsb.example', 'X-Forwarded-For': '203.0.113.10', Connection: 'close' };

  const { body } = await send({ method: 'PATCH', url: `${proxy.url}/a?b=c`, headers, body: '선수' });

  expect(body).toMatchObject({ method: 'PATCH', url: '/a?b=c', body: '선수' });
  expect(body).toMatchObject({
    headers: { host: 'gsb.example', 'x-forwarded-for': '203.0.113.10, 127.0.0.1', 'content-length': '6' },
  });
});

test('a replica that is not ready gets nothing until it is ready again', async () => {
  const [one, two] = [await startReplica('one'), await startReplica('two')];
  const proxy = await before(one, two);
  one.health.ready = false;
  await eventually(
    async () => proxy.ready(),
    (ready) => ready.length === 1,
  );

  expect(await askedBy(proxy, 3)).toEqual(['two', 'two', 'two']);

  one.health.ready = true;
  await eventually(
    async () => proxy.ready(),
    (ready) => ready.length === 2,
  );
});

test('a replica that refuses the connection has not received the request: another one gets it', async () => {
  const [one, two] = [await startReplica('one'), await startReplica('two')];
  const proxy = await before(one, two);

  one.close();

  expect(await askedBy(proxy, 4)).toEqual(['two', 'two', 'two', 'two']);
});

test('a request that a replica may have received is not sent twice: 502', async () => {
  const counted = { requests: 0 };
  const breaking: RequestListener = (incoming) => {
    counted.requests += 1;
    incoming.socket.destroy();
  };
  const proxy = await before(await startReplica('one', breaking), await startReplica('two', breaking));

  expect(await send({ method: 'POST', url: proxy.url, body: '{}' })).toMatchObject({ status: 502 });
  expect(counted.requests).toBe(1);
});

test('without any replica callers are asked to come again', async () => {
  const one = await startReplica('one');
  const proxy = await before(one);
  one.close();

  expect(await send({ method: 'GET', url: proxy.url })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
  });
});

test('a caller that gives up ends its request at the replica', async () => {
  const seen = { given: '', up: false };
  const waiting: RequestListener = (incoming, response) => {
    seen.given = incoming.url ?? '';
    response.on('close', () => (seen.up = true));
  };
  const proxy = await before(await startReplica('one', waiting));
  const giveUp = new AbortController();
  const asked = fetch(`${proxy.url}/slow`, { signal: giveUp.signal }).catch(() => 'gave up');
  await eventually(
    async () => seen.given,
    (url) => url === '/slow',
  );

  giveUp.abort();

  expect(await asked).toBe('gave up');
  await eventually(async () => seen.up, Boolean);
});
