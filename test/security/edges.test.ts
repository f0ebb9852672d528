import { z } from 'zod';
import { endpoint } from '#libs/contracts/endpoint.ts';
import { route } from '#libs/http/route.ts';
import { injectTrace, startTracing } from '#libs/runtime/tracing.ts';
import { serveRoutes } from '../support/http-server.ts';
import { send, talk as rawTalk } from '../support/raw.ts';
import { signedStart } from '../support/signed-start.ts';
import { theStack } from '../support/suite-stack.ts';
import { ask, expectRefusal } from '../spec/edges.ts';

const edges = ['game', 'launcher'] as const;

const talk = async (edge: (typeof edges)[number], text: string): Promise<string> =>
  rawTalk((await theStack())[edge].url, text);

/** An object in an object, so many deep. */
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('at the edges (D-44)', () => {
  test.each(edges)('%s: two Host headers are 400, whatever they say', async (edge) => {
    const request = (hosts: string) => `GET /openapi.json HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`;

    expect(await talk(edge, request('Host: a\r\nHost: b\r\n'))).toMatch(/^HTTP\/1\.1 400 .*BAD_REQUEST/s);
    expect(await talk(edge, request('Host: a\r\nhost: a\r\n'))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await talk(edge, request('Host: a\r\n'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each(edges)('%s: a request without a Host is 400, with our envelope and headers', async (edge) => {
    const answer = await talk(edge, 'GET /openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n');

    expect(answer).toMatch(/^HTTP\/1\.1 400 .*X-Content-Type-Options: nosniff.*BAD_REQUEST/is);
    expect(answer).toMatch(/x-request-id: req_/i);
  });

  test.each(edges)(
    '%s: what a caller expects besides 100-continue is no reason to refuse it',
    async (edge) => {
      const head = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n';

      expect(await talk(edge, head)).toMatch(/^HTTP\/1\.1 200 .*nosniff/is);
    },
  );

  test('JSON that is nested more than eight deep is 400', async () => {
    const { text } = await ask('verify', nested(8));
    expect(text).not.toContain('deep');

    const answer = await ask('verify', nested(9));
    expectRefusal(answer, 'BAD_REQUEST');
    expect(answer.text).toContain('nested more than 8 deep');
    expectRefusal(await ask('verify', `{"a":${'['.repeat(8_000)}${']'.repeat(8_000)}}`), 'BAD_REQUEST');
  });

  test('no answer may be sniffed or stored, and none names its server', async () => {
    const { game, launcher } = await theStack();
    const answers = await Promise.all([
      send({ method: 'GET', url: `${game.url}/openapi.json` }),
      send({ method: 'GET', url: `${launcher.url}/nowhere` }),
      ask('session start', '{}'),
      ask('heartbeat', '{}', { headers: { 'X-Much': 'x'.repeat(9_216) } }),
      signedStart(await theStack()),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 431, 200]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
      expect(headers).not.toHaveProperty('server');
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  test('what a launcher signs for another host is nothing here, although its key is right', async () => {
    const stack = await theStack();
    const port = new URL(stack.launcher.url).port;

    expect(await signedStart(stack, { authority: 'launcher.example' })).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_SIGNATURE' } },
    });
    expect(await signedStart(stack, { authority: `localhost:${port}` })).toMatchObject({ status: 200 });
  });

  test('a trace begins with us: what a caller names is not gone on with', async () => {
    const tracing = await startTracing({ service: 'test', instance: 'test' });
    const contract = endpoint({
      ...{ name: 'trace', method: 'GET', path: '/trace', summary: 'Tells its trace.', auth: 'none' },
      ...{ data: z.object({ traceparent: z.string() }), errors: [] },
    });
    const tell = route(contract, async () => ({ traceparent: injectTrace()['traceparent'] ?? '' }));
    const server = await serveRoutes([tell], { maxConnections: 10 });
    const traceparent = `00-${'f'.repeat(32)}-${'b'.repeat(16)}-01`;

    const url = `${server.url}/trace`;
    const { body } = await send({ method: 'GET', url, headers: { traceparent, Connection: 'close' } });
    await server.stop();
    await tracing.shutdown();

    expect(body).toMatchObject({
      data: { traceparent: expect.stringMatching(/^00-(?!f{32})[0-9a-f]{32}-/) },
    });
  });
});
