import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { errors } from '#libs/contracts/errors.ts';
import { send } from '../support/raw.ts';
import type { RawAnswer } from '../support/raw.ts';
import { newPlayer, theStack } from '../support/stage.ts';

const gs = 'gs_00000000-0000-4000-8000-000000000000';
const endpoints = {
  verify: ['POST', '/v1/game/session/verify', { ott: randomUUID(), provider_user_id: 'u1' }],
  heartbeat: ['PATCH', '/v1/game/session/heartbeat', { game_session_id: gs, provider_user_id: 'u1' }],
  end: ['DELETE', '/v1/game/session/end', { game_session_id: gs, play_duration_sec: 1 }],
} as const;
type Name = keyof typeof endpoints;

const key = async () => (await theStack()).game.games[0]!.api_keys[0]!;
const ask = async (
  name: Name,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<RawAnswer> => {
  const [method, path] = endpoints[name];
  const all = { 'X-Api-Key': await key(), 'Content-Type': 'application/json', ...headers };
  return send({ method, url: (await theStack()).game.url + path, headers: all, body });
};
const envelope = (code: keyof typeof errors) => ({
  success: false,
  request_id: expect.stringMatching(/^req_/),
  error: { code, message: expect.any(String) },
});
const names = Object.keys(endpoints) as Name[];

const wrong: [field: string, value: unknown][] = [
  ...[undefined, null, 1, true, {}, [], '', 'x', 'x'.repeat(200)].map((value): [string, unknown] => [
    'id',
    value,
  ]),
];
const idField: Record<Name, string> = { verify: 'ott', heartbeat: 'game_session_id', end: 'game_session_id' };

describe('spec part 7, D-01 (one error body everywhere) and D-02: 400 BAD_REQUEST', () => {
  test.each(names.flatMap((name) => wrong.map(([, value]) => [name, idField[name], value] as const)))(
    '%s with %s = %j',
    async (name, field, value) => {
      const { status, body } = await ask(name, JSON.stringify({ ...endpoints[name][2], [field]: value }));

      expect([status, body]).toEqual([400, envelope('BAD_REQUEST')]);
    },
  );

  test.each(
    (['verify', 'heartbeat'] as const).flatMap((name) =>
      [undefined, null, 1, '', 'x'.repeat(129), 'a\u0000b'].map((value) => [name, value] as const),
    ),
  )('%s with provider_user_id = %j (D-19)', async (name, value) => {
    const { status, body } = await ask(
      name,
      JSON.stringify({ ...endpoints[name][2], provider_user_id: value }),
    );

    expect([status, body]).toEqual([400, envelope('BAD_REQUEST')]);
  });

  test.each([null, '1', -1, 1.5, 604_801, true])('end with play_duration_sec = %j', async (value) => {
    const { status, body } = await ask(
      'end',
      JSON.stringify({ ...endpoints.end[2], play_duration_sec: value }),
    );

    expect([status, body]).toEqual([400, envelope('BAD_REQUEST')]);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['__proto__', '{"__proto__": {}}'],
    ['constructor', '{"constructor": {"prototype": {}}}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ])('a body that is %s, for each endpoint', async (_, body) => {
    for (const name of names) {
      expect(await ask(name, body)).toMatchObject({ status: 400, body: envelope('BAD_REQUEST') });
    }
  });

  test.each(['text/plain', 'application/jsonx', 'multipart/form-data', ''])(
    'a Content-Type of %j',
    async (type) => {
      for (const name of names) {
        const answer = await ask(name, JSON.stringify(endpoints[name][2]), { 'Content-Type': type });
        expect(answer).toMatchObject({ status: 400, body: envelope('BAD_REQUEST') });
      }
    },
  );
});

describe('spec part 5 and 7: 401 INVALID_API_KEY', () => {
  test.each(['', 'x', 'gsb_dev_aaaaaaaa_bbb_00000000', 'Bearer x'])(
    'for each endpoint, with the key %j',
    async (wrongKey) => {
      for (const name of names) {
        const answer = await ask(name, JSON.stringify(endpoints[name][2]), { 'X-Api-Key': wrongKey });
        expect(answer).toMatchObject({ status: 401, body: envelope('INVALID_API_KEY') });
      }
    },
  );
});

describe('D-02: what is not on the map', () => {
  test('an unknown path is 404 NOT_FOUND', async () => {
    const url = `${(await theStack()).game.url}/v1/game/session/nothing`;

    expect(await send({ method: 'GET', url })).toMatchObject({ status: 404, body: envelope('NOT_FOUND') });
  });

  test.each([
    ['GET', 'verify', 'POST'],
    ['PUT', 'heartbeat', 'PATCH'],
    ['POST', 'end', 'DELETE'],
    ['OPTIONS', 'verify', 'POST'],
  ] as const)('%s on %s is 405 with Allow: %s', async (method, name, allow) => {
    const url = (await theStack()).game.url + endpoints[name][1];

    const answer = await send({ method, url });

    expect(answer).toMatchObject({ status: 405, headers: { allow }, body: envelope('METHOD_NOT_ALLOWED') });
  });

  test('16 KiB and a byte is 413', async () => {
    const body = JSON.stringify({ ...endpoints.verify[2], more: 'x'.repeat(16_384) });

    expect(await ask('verify', body)).toMatchObject({ status: 413, body: envelope('PAYLOAD_TOO_LARGE') });
  });

  test('9 KiB of headers is 431', async () => {
    const answer = await ask('verify', '{}', { 'X-Much': 'x'.repeat(9_216) });

    expect(answer).toMatchObject({ status: 431, body: envelope('HEADERS_TOO_LARGE') });
  });

  test('a body that drips in is 408, and does not hold the server', async () => {
    const { hostname, port } = new URL((await theStack()).game.url);
    const socket = connect(Number(port), hostname);
    const text = await new Promise<string>((resolve) => {
      let heard = '';
      socket.on('data', (data) => (heard += data.toString())).on('close', () => resolve(heard));
      socket.write('POST /v1/game/session/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    });

    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"code":"REQUEST_TIMEOUT"');
  }, 20_000);
});

describe('after all that', () => {
  test('a player can still sit down and play', async () => {
    const { server, id, user } = await newPlayer(await theStack());

    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });
  });
});
