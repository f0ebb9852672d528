import { connect } from 'node:net';
import { errors } from '#libs/contracts/errors.ts';
import type { ErrorCode } from '#libs/contracts/errors.ts';
import { send, talk as rawTalk } from '../support/raw.ts';
import { newPlayer, theStack } from '../support/suite-stack.ts';
import { ask, expectRefusal, operationNames, operations } from './edges.ts';

const edges = ['game', 'launcher'] as const;
type Edge = (typeof edges)[number];
const onePath: Record<Edge, string> = { game: '/v1/game/session/verify', launcher: '/v1/ott' };

const talk = async (edge: Edge, ...texts: string[]): Promise<string> =>
  rawTalk((await theStack())[edge].url, ...texts);

/** D-01 in an answer read from a bare socket. */
const expectRawRefusal = (received: string, code: ErrorCode): void => {
  const [head = '', text = ''] = received.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${errors[code].status} `));
  expect(JSON.parse(text)).toEqual({
    success: false,
    request_id: /^X-Request-Id: (req_[0-9a-f]{32})$/im.exec(head)?.[1],
    error: { code, message: expect.any(String) },
  });
};

const padded = (bytes: number): string => {
  const empty = JSON.stringify({ more: '' });
  return JSON.stringify({ more: 'x'.repeat(bytes - empty.length) });
};

describe('bad input: a body that is too large (D-02)', () => {
  test.each(operationNames)('%s: 16 KiB are read, a byte more is 413', async (operation) => {
    expect((await ask(operation, padded(16_384))).status).toBe(400);
    expectRefusal(await ask(operation, padded(16_385)), 'PAYLOAD_TOO_LARGE');
    expectRefusal(await ask(operation, padded(65_536)), 'PAYLOAD_TOO_LARGE');
  });

  test.each(edges)('%s: in chunks, with its length unsaid, it is 413 too', async (edge) => {
    const head = `POST ${onePath[edge]} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`;

    const received = await talk(edge, head, chunk.repeat(4), '1\r\nx\r\n0\r\n\r\n');

    expectRawRefusal(received, 'PAYLOAD_TOO_LARGE');
  });
});

describe('bad input: what is not on the map (D-02)', () => {
  test.each(edges)('%s: an unknown path is 404 NOT_FOUND, whatever the method', async (edge) => {
    const { url } = (await theStack())[edge];
    const paths = [
      '/',
      '/v1',
      '/v1/game/session',
      '/v1//ott',
      '/favicon.ico',
      '/openapiXjson',
      '/%00',
      '/%E0%A4%A',
      '/v1/ott/x',
    ];

    for (const path of paths)
      for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND'])
        expectRefusal(await send({ method, url: url + path }), 'NOT_FOUND');
  });

  test.each(edges)('%s: a target that is no URL is 404 NOT_FOUND too', async (edge) => {
    for (const target of ['http://[', 'https://]/v1', 'http://a:b/v1?c'])
      expectRawRefusal(
        await talk(edge, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
        'NOT_FOUND',
      );
  });

  test.each(operationNames)('%s: a wrong method is 405 METHOD_NOT_ALLOWED with Allow', async (name) => {
    const { edge, method: right, path } = operations[name];
    const url = (await theStack())[edge].url + path;

    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      if (method === right) continue;
      const answer = await send({ method, url });
      expectRefusal(answer, 'METHOD_NOT_ALLOWED');
      expect(answer.headers['allow']).toBe(right);
    }
  });
});

describe('bad input: what is hardly HTTP', () => {
  test.each(operationNames)('%s: 9 KiB of headers is 431', async (operation) => {
    const headers = { 'X-Much': 'x'.repeat(9_216) };

    expectRefusal(await ask(operation, '{}', { headers }), 'HEADERS_TOO_LARGE');
  });

  test.each<[what: string, request: (path: string) => string]>([
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    [
      'two lengths',
      (path) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    ],
    [
      'a length and chunks: what smuggles a request past a proxy',
      (path) =>
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a length that is none', (path) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`],
    ['a header with a line feed in its name', (path) => `POST ${path} HTTP/1.1\r\nHost: x\r\nX Y: 1\r\n\r\n`],
  ])('%s: 400 BAD_REQUEST on both edges', async (_, request) => {
    for (const edge of edges) expectRawRefusal(await talk(edge, request(onePath[edge])), 'BAD_REQUEST');
  });

  test('a body, or headers, that drip in are 408 within the deadline, and hold nobody else up', async () => {
    const slow = edges.flatMap((edge) => [
      talk(edge, `POST ${onePath[edge]} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`),
      talk(edge, `POST ${onePath[edge]} HTTP/1.1\r\nHost: x\r\nX-Slow: `),
    ]);
    const { server, id, user } = await newPlayer(await theStack());

    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });
    for (const received of await Promise.all(slow)) expectRawRefusal(received, 'REQUEST_TIMEOUT');
  }, 20_000);

  test('a body that is cut off by its sender costs nothing: the next request is answered', async () => {
    const { hostname, port } = new URL((await theStack()).game.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname).on('close', () => resolve());
      socket.write(`POST ${onePath.game} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`, () =>
        socket.destroy(),
      );
    });

    expectRefusal(await ask('verify', '{}'), 'BAD_REQUEST');
  });
});

test('after all that no service has ever answered 500', async () => {
  const { processes } = await theStack();
  const edgesOps = processes.filter(({ service }) => ['game-session', 'launcher-gateway'].includes(service));

  const metrics = await Promise.all(
    edgesOps.map(async ({ ops }) => (await send({ method: 'GET', url: `${ops}/metrics` })).text),
  );

  for (const text of metrics) {
    expect(text).toContain('http_response_status_code="400"');
    // Failures are counted from 0.
    const failures = text.split('\n').filter((line) => line.includes('http_response_status_code="500"'));
    expect(failures.filter((line) => !line.endsWith(' 0'))).toEqual([]);
  }
});
