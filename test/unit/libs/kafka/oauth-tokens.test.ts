import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { oauthTokens } from '#libs/kafka/oauth-tokens.ts';

interface Asked {
  readonly authorization: string | undefined;
  readonly form: Record<string, string>;
}

let server: Server;
let asked: Asked[];
let answer: { status: number; body: string };
const token = (name: string, expiresIn: number) => ({
  status: 200,
  body: JSON.stringify({ access_token: name, expires_in: expiresIn }),
});

beforeEach(async () => {
  asked = [];
  answer = token('t1', 300);
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { authorization } = request.headers;
      asked.push({ authorization, form: Object.fromEntries(new URLSearchParams(body)) });
      response.writeHead(answer.status).end(answer.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  if (server.listening) await once(server.close(), 'close');
});

const tokensOf = (more: { scope?: string } = {}) =>
  oauthTokens({
    tokenUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    ...{ username: 'ott:1', password: 'p@ss/w:rd', scope: '', ...more },
  });

test('an OAuth client shows its id and secret, whatever characters they have, and asks by the client credentials grant', async () => {
  await tokensOf({ scope: 'kafka' })();

  const [{ authorization = '', form }] = asked as [Asked];
  const [id, secret] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':');
  expect([id, secret].map((each) => decodeURIComponent(each ?? ''))).toEqual(['ott:1', 'p@ss/w:rd']);
  expect(form).toEqual({ grant_type: 'client_credentials', scope: 'kafka' });
});

test('connections that open at once share one token, and later ones too while it lives', async () => {
  const tokens = tokensOf();

  const values = await Promise.all([tokens(), tokens(), tokens()]);

  expect([...values, await tokens()]).toEqual(Array.from({ length: 4 }, () => ({ value: 't1' })));
  expect(asked).toHaveLength(1);
});

test('a token whose life is nearly over is followed by another, for which all ask once', async () => {
  const tokens = tokensOf();
  answer = token('old', 1e-9);
  await tokens();
  answer = token('new', 300);

  expect(await Promise.all([tokens(), tokens()])).toEqual([{ value: 'new' }, { value: 'new' }]);
});

test.each([
  ['refuses', { status: 401, body: '{"error":"invalid_client"}' }],
  ['answers something else', { status: 200, body: '<html>' }],
])(
  'where the token endpoint %s, kafkajs tries again, and hears no secret; the next one who asks gets a token',
  async (_, wrong) => {
    const tokens = tokensOf();
    answer = wrong;
    const error: unknown = await tokens().catch((thrown: unknown) => thrown);
    answer = token('t2', 300);

    expect(error).toMatchObject({ name: 'KafkaJSConnectionError', retriable: true });
    expect(String(error)).not.toMatch(/p@ss|ott/);
    expect(await tokens()).toEqual({ value: 't2' });
  },
);

test('a token endpoint that is away is an outage like a broker that is away', async () => {
  const tokens = tokensOf();
  await once(server.close(), 'close');

  await expect(tokens()).rejects.toMatchObject({ name: 'KafkaJSConnectionError', retriable: true });
});
