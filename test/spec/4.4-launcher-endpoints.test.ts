import { randomUUID } from 'node:crypto';
import { createSigner, httpbis } from 'http-message-signatures';
import { contentDigest, signRequest } from '#simulators/launcher/sign-request.ts';
import { send } from '../support/raw.ts';
import type { RawAnswer } from '../support/raw.ts';
import { cafeOf, gameIdOf, limits, newPc, newPlayer, theStack } from '../support/suite-stack.ts';

const path = '/v1/session/start';

interface Change {
  readonly ip?: string;
  readonly keyId?: string;
  readonly createdSec?: number;
  readonly nonce?: string;
  readonly body?: string;
  readonly sentBody?: string;
  readonly headers?: Record<string, string>;
}

/** A signed session start of the first cafe, with something changed. */
const start = async (change: Change = {}): Promise<RawAnswer> => {
  const stack = await theStack();
  const cafe = cafeOf(stack, 0);
  const body =
    change.body ?? JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id: randomUUID() } });
  const authority = new URL(stack.launcher.url).host;
  const claims = {
    keyId: change.keyId ?? cafe.keyId,
    nonce: change.nonce ?? randomUUID(),
    createdSec: change.createdSec ?? Math.floor(Date.now() / 1000),
  };
  const signed = signRequest(
    { method: 'POST', authority, path, body: Buffer.from(body) },
    claims,
    cafe.secret,
  );
  const headers = {
    'Content-Type': 'application/json',
    'X-Forwarded-For': change.ip ?? cafe.ip,
    ...signed,
    ...change.headers,
  };
  return send({ method: 'POST', url: stack.launcher.url + path, headers, body: change.sentBody ?? body });
};

const refusal = (code: string) => ({ success: false, error: { code, message: expect.any(String) } });

describe('spec 4.4, session start', () => {
  test('answers a token, the interval, our clock and the games', async () => {
    const { status, body } = await start();

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      request_id: expect.stringMatching(/^req_/),
      data: {
        session_token: expect.stringMatching(/^gsbl_/),
        heartbeat_interval_sec: limits.heartbeat,
        server_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        games: expect.arrayContaining([{ game_id: 'starfall', name: 'Starfall' }]),
      },
    });
  });

  test("a signature by npm's http-message-signatures, which nobody here wrote, is accepted (D-14)", async () => {
    const stack = await theStack();
    const { keyId, secret, ip } = cafeOf(stack, 0);
    const body = JSON.stringify({ internal_ip: '192.168.0.17', hardware: { machine_id: randomUUID() } });
    const request = {
      method: 'POST',
      url: stack.launcher.url + path,
      headers: { 'Content-Digest': contentDigest(Buffer.from(body)) },
    };
    const signed = await httpbis.signMessage(
      {
        key: createSigner(secret, 'hmac-sha256', keyId),
        name: 'sig1',
        fields: ['@method', '@authority', '@path', 'content-digest'],
        params: ['created', 'keyid', 'nonce', 'alg'],
        paramValues: { created: new Date(), nonce: randomUUID() },
      },
      request,
    );

    const headers = {
      ...(signed.headers as Record<string, string>),
      'Content-Type': 'application/json',
      'X-Forwarded-For': ip,
    };
    expect(await send({ method: 'POST', url: request.url, headers, body })).toMatchObject({ status: 200 });
  });

  test.each<[string, () => Change]>([
    ['an unknown key', () => ({ keyId: 'nobody.k1' })],
    ['a clock that is ten minutes slow', () => ({ createdSec: Math.floor(Date.now() / 1000) - 600 })],
    ['a clock that is ten minutes fast', () => ({ createdSec: Math.floor(Date.now() / 1000) + 600 })],
    [
      'a body that was changed on the way',
      () => ({ sentBody: '{"internal_ip":"10.0.0.1","hardware":{"machine_id":"x"}}' }),
    ],
    ['a nonce that is too short', () => ({ nonce: 'short' })],
    ['no signature', () => ({ headers: { Signature: '', 'Signature-Input': '' } })],
    ["another cafe's key id over this secret", () => ({ keyId: 'cafe-busan-01.k1' })],
  ])('401 INVALID_SIGNATURE with our clock, for %s', async (_, change) => {
    const { status, body } = await start(change());

    expect(status).toBe(401);
    expect(body).toMatchObject(
      refusal('INVALID_SIGNATURE').error && {
        error: { code: 'INVALID_SIGNATURE', server_time: expect.stringMatching(/Z$/) },
      },
    );
  });

  test('a nonce is accepted once', async () => {
    const nonce = randomUUID();
    expect(await start({ nonce })).toMatchObject({ status: 200 });

    expect(await start({ nonce })).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_SIGNATURE' } },
    });
  });

  test.each([
    ['an address that the partner does not know', '198.51.100.7'],
    ["another cafe's address than the key's", '203.0.113.20'],
    ['a private address', '10.1.2.3'],
    ['a lie to the left of the truth', '203.0.113.10, 198.51.100.7'],
  ])('403 NOT_PC_CAFE for %s', async (_, ip) => {
    expect(await start({ ip })).toMatchObject({ status: 403, body: refusal('NOT_PC_CAFE') });
  });

  test('a spoofed entry to the left is not read: the last hop counts', async () => {
    expect(await start({ ip: '198.51.100.7, 203.0.113.10' })).toMatchObject({ status: 200 });
  });

  test.each([
    ['a malformed X-Forwarded-For (D-20)', { ip: 'unknown' }],
    ['no machine id', { body: '{"internal_ip":"192.168.0.17","hardware":{}}' }],
    ['an internal address that is none', { body: '{"internal_ip":"here","hardware":{"machine_id":"x"}}' }],
    ['a signed body that is no JSON', { body: 'x' }],
  ])('400 BAD_REQUEST for %s', async (_, change) => {
    expect(await start(change)).toMatchObject({ status: 400, body: refusal('BAD_REQUEST') });
  });
});

describe('spec 4.4, one-time token and the rest of the launcher API (D-13)', () => {
  test('a token is a UUID of version 4, with its game and its life', async () => {
    const stack = await theStack();
    const pc = newPc(stack);
    await pc.start();

    expect(await pc.requestOtt(gameIdOf(stack))).toMatchObject({
      data: {
        ott: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
        gameId: 'starfall',
        expiresInSec: limits.ottTtl,
      },
    });
    expect(await pc.heartbeat()).toMatchObject({ data: { result: 'OK', nextHeartbeatIn: limits.heartbeat } });
    expect(await pc.requestOtt('no-such-game')).toMatchObject({ status: 404, code: 'GAME_NOT_FOUND' });
  });

  test('401 INVALID_SESSION_TOKEN without a token, and with one that is none', async () => {
    const { launcher } = await theStack();
    const body = '{"game_id":"starfall"}';
    const call = (headers: Record<string, string>) =>
      send({
        method: 'POST',
        url: `${launcher.url}/v1/ott`,
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '203.0.113.10', ...headers },
        body,
      });

    for (const Authorization of ['', 'Bearer x', `Bearer gsbl_0${'A'.repeat(43)}`, 'Basic eDp5']) {
      expect(await call({ Authorization })).toMatchObject({
        status: 401,
        body: refusal('INVALID_SESSION_TOKEN'),
      });
    }
  });

  test('a second start from the same PC replaces the launcher session and keeps the game session', async () => {
    const stack = await theStack();
    const player = await newPlayer(stack);
    const again = await player.pc.start();

    expect(again).toMatchObject({ status: 200 });
    expect(await player.server.heartbeat(player.id, player.user)).toMatchObject({ data: { result: 'OK' } });
  });

  test.each([
    ['another address of the same cafe', '203.0.113.11', 200],
    ["another cafe's address", '203.0.113.20', 403],
    ['an address that is nobody’s', '198.51.100.7', 403],
  ])('a token asked for from %s: the address is checked again (D-17)', async (_, ip, status) => {
    const { launcher } = await theStack();
    const started = await start();
    const token = (started.body as { data: { session_token: string } }).data.session_token;

    const asked = await send({
      method: 'POST',
      url: `${launcher.url}/v1/ott`,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'X-Forwarded-For': ip,
      },
      body: '{"game_id":"starfall"}',
    });

    expect(asked.status).toBe(status);
  });

  test('an ended launcher session opens nothing any more', async () => {
    const pc = newPc(await theStack());
    await pc.start();

    expect(await pc.end()).toMatchObject({ status: 200 });
    expect(await pc.end()).toMatchObject({ status: 401, code: 'INVALID_SESSION_TOKEN' });
    expect(await pc.requestOtt('starfall')).toMatchObject({ status: 401, code: 'INVALID_SESSION_TOKEN' });
  });
});
