import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createLauncher } from '#simulators/launcher/launcher.ts';
import { send } from '../support/raw.ts';
import { cafeOf, gameServerOf, newOtt, newPc, newPlayer, theStack } from '../support/suite-stack.ts';

type Call = readonly [name: string, method: string, body: object];
const calls: Call[] = [
  ['verify', 'POST', { ott: randomUUID(), provider_user_id: 'u1' }],
  ['heartbeat', 'PATCH', { game_session_id: `gs_${randomUUID()}`, provider_user_id: 'u1' }],
  ['end', 'DELETE', { game_session_id: `gs_${randomUUID()}` }],
];

const ask = async ([name, method, body]: Call, headers: Record<string, string>, query = '') => {
  const url = `${(await theStack()).game.url}/v1/game/session/${name}${query}`;
  return send({
    method,
    url,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
};
const refused = { status: 401, body: { success: false, error: { code: 'INVALID_API_KEY' } } };

/** A key with one letter changed. */
const spoiled = (key: string, at: number) => {
  const letter = key.charAt(at) === 'x' ? 'y' : 'x';
  return key.slice(0, at) + letter + key.slice(at + 1);
};

describe('spec 5 authentication', () => {
  test.each(calls)('Game server: %s with a good X-Api-Key is heard', async (...call) => {
    const key = (await theStack()).game.games[0]!.api_keys[0]!;

    expect((await ask(call, { 'X-Api-Key': key })).status).not.toBe(401);
    expect((await ask(call, { 'x-API-key': key })).status).not.toBe(401);
  });

  test('Game server: a key identifies one game, and verify compares it with the game of the token', async () => {
    const stack = await theStack();
    const { ott } = await newOtt(stack, { game: 1 });

    const answers = [];
    for (const game of [0, 2, 1]) answers.push(await gameServerOf(stack, game).verify(ott, 'u1'));

    expect(answers).toMatchObject([
      { data: { reason: 'GAME_MISMATCH' } },
      { data: { reason: 'GAME_MISMATCH' } },
      { data: { isValid: true } },
    ]);
  });

  test('Launcher: a signed request from an address of its cafe is heard, from anywhere else it is 403', async () => {
    const stack = await theStack();

    const { ip, ...cafe } = cafeOf(stack, 0);
    const startFrom = (clientIp: string) =>
      createLauncher({ url: stack.launcher.url, cafe, clientIp, machineId: randomUUID() }).start();

    expect(await startFrom(ip)).toMatchObject({ status: 200 });
    for (const elsewhere of [cafeOf(stack, 1).ip, '198.51.100.7']) {
      expect(await startFrom(elsewhere)).toMatchObject({ status: 403, code: 'NOT_PC_CAFE' });
    }
  });

  test.each(calls)('Rule 1: %s with an invalid key is 401 INVALID_API_KEY (D-02)', async (...call) => {
    const key = (await theStack()).game.games[0]!.api_keys[0]!;
    const wrong = ['', ' ', 'x', key.slice(0, -1), `${key}x`, spoiled(key, 10), spoiled(key, key.length - 1)];

    for (const each of wrong) expect(await ask(call, { 'X-Api-Key': each })).toMatchObject(refused);
    expect(await ask(call, {})).toMatchObject(refused);
  });

  test('Rule 1: a key that is not valid learns nothing of a session', async () => {
    const stack = await theStack();
    const { id, user, server } = await newPlayer(stack);
    const heartbeat: Call = ['heartbeat', 'PATCH', { game_session_id: id, provider_user_id: user }];

    expect(await ask(heartbeat, { 'X-Api-Key': 'x' })).toMatchObject(refused);
    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });
  });

  test('Rule 2: no answer to a launcher and no record at rest has a key in it', async () => {
    const stack = await theStack();
    const keys = stack.game.games.flatMap(({ api_keys }) => api_keys);
    const pc = newPc(stack);
    const answers = JSON.stringify([await pc.start(), await pc.requestOtt('starfall'), await pc.heartbeat()]);
    const redis = new Redis(stack.redis.url);
    const names = await redis.keys('*');
    const values = await Promise.all(names.map((name) => redis.dump(name)));
    redis.disconnect();

    for (const key of keys) {
      expect(answers).not.toContain(key);
      expect([...names, ...values].some((text) => text?.includes(key))).toBe(false);
    }
  });

  test.each(calls)(
    'Rule 3: %s takes a key from its header alone, and tells no browser that it may call',
    async (...call) => {
      const key = (await theStack()).game.games[0]!.api_keys[0]!;

      const elsewhere = [
        await ask(call, {}, `?api_key=${key}&X-Api-Key=${key}`),
        await ask(call, { Authorization: `Bearer ${key}` }),
        await ask(call, { Cookie: `X-Api-Key=${key}` }),
      ];

      for (const answer of elsewhere) expect(answer).toMatchObject(refused);
      const { headers } = await ask(call, { 'X-Api-Key': key, Origin: 'https://starfall.example' });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});

describe('spec 4 headers: what every game server endpoint requires', () => {
  test.each(calls)('%s: X-Api-Key and Content-Type', async (...call) => {
    const key = (await theStack()).game.games[0]!.api_keys[0]!;

    expect(await ask(call, {})).toMatchObject(refused);
    expect(await ask(call, { 'X-Api-Key': key, 'Content-Type': 'text/plain' })).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST' } },
    });
    expect(
      (await ask(call, { 'X-Api-Key': key, 'Content-Type': 'application/json; charset=utf-8' })).status,
    ).not.toBe(400);
  });
});
