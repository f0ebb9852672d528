import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/raw.ts';
import { askSettlement } from '../support/settlement.ts';
import {
  gameServerOf,
  gameIdOf,
  limits,
  newOtt,
  newPc,
  newPlayer,
  theStack,
} from '../support/suite-stack.ts';

describe('spec 2.1 one-time token', () => {
  test('Format: a UUID of version 4; Delivery: a string', async () => {
    const { ott } = await newOtt(await theStack());

    expect(ott).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('TTL: what the launcher is told, from issuance; Use: single, by verify', async () => {
    const stack = await theStack();
    const pc = newPc(stack);
    await pc.start();
    const asked = await pc.requestOtt(gameIdOf(stack));
    const ott = asked.ok ? asked.data.ott : '';

    const verify = () => gameServerOf(stack).verify(ott, 'u1');

    expect(asked).toMatchObject({ data: { expiresInSec: limits.ottTtl } });
    expect([await verify(), await verify()]).toMatchObject([
      { data: { isValid: true } },
      { data: { isValid: false, reason: 'OTT_ALREADY_USED' } },
    ]);
  });

  test('two tokens are never the same, and each is bound to its game', async () => {
    const stack = await theStack();
    const pc = newPc(stack);
    await pc.start();
    const both = [await pc.requestOtt(gameIdOf(stack, 0)), await pc.requestOtt(gameIdOf(stack, 1))];

    const [first, second] = both.map((answer) => (answer.ok ? answer.data.ott : ''));
    expect(first).not.toBe(second);
    expect(await gameServerOf(stack, 1).verify(second!, 'u1')).toMatchObject({ data: { isValid: true } });
    expect(await gameServerOf(stack, 0).verify(first!, 'u1')).toMatchObject({ data: { isValid: true } });
  });

  test('a token is nowhere at rest: only its hash is (D-18)', async () => {
    const stack = await theStack();
    const { ott } = await newOtt(stack);
    const redis = new Redis(stack.redis.url);

    const keys = await redis.keys('*');
    const values = await Promise.all(keys.map((key) => redis.dump(key)));
    redis.disconnect();

    expect(keys.some((key) => key.includes(createHash('sha256').update(ott).digest('hex')))).toBe(true);
    expect([...keys, ...values].some((text) => text?.includes(ott))).toBe(false);
  });
});

describe('spec 2.2 game session', () => {
  test.each([
    ['game_session_id', expect.stringMatching(/^gs_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)],
    ['is_pc_cafe', true],
  ])('%s is in the answer of verify', async (field, expected) => {
    const stack = await theStack();
    const { ott } = await newOtt(stack);

    const { body } = await send({
      method: 'POST',
      url: `${stack.game.url}/v1/game/session/verify`,
      headers: { 'X-Api-Key': stack.game.games[0]!.api_keys[0]!, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ott, provider_user_id: 'u1' }),
    });

    expect(body).toMatchObject({ data: { [field]: expected } });
  });

  test('provider_user_id is any text the platform has, and only the same text is the same player (D-19)', async () => {
    const user = '사용자 42 / ÄÖ 🎮';
    const { server, id } = await newPlayer(await theStack(), { user });

    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });
    expect(await server.heartbeat(id, `${user} `)).toMatchObject({ status: 404 });
  });

  test('provider_user_id has 128 characters at most, whatever each takes as UTF-16 (D-19)', async () => {
    const user = '🎮'.repeat(128);
    const { server, id } = await newPlayer(await theStack(), { user });

    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });
  });

  test('play_duration_sec is counted by the server, whatever the client says', async () => {
    const { server, id } = await newPlayer(await theStack());

    const ended = await server.end(id, 3_600);

    expect(ended).toMatchObject({ data: { clientPlayDurationSec: 3_600 } });
    expect(ended.ok && ended.data.playDurationSec).toBeLessThan(60);
  });

  test('starting another game session on the same PC replaces the earlier one; on another PC it does not', async () => {
    const stack = await theStack();
    const [one, other] = [await newPlayer(stack), await newPlayer(stack)];

    expect(await one.server.heartbeat(one.id, one.user)).toMatchObject({ data: { result: 'OK' } });
    const again = await one.pc.requestOtt(gameIdOf(stack));
    await one.server.verify(again.ok ? again.data.ott : '', one.user);

    expect(await one.server.heartbeat(one.id, one.user)).toMatchObject({
      data: { result: 'SESSION_REPLACED' },
    });
    expect(await other.server.heartbeat(other.id, other.user)).toMatchObject({ data: { result: 'OK' } });
  });

  test('the player is known to the ledger only by a hash', async () => {
    const stack = await theStack();
    const { server, id, user } = await newPlayer(stack);
    await server.end(id);

    const entry = await eventually(
      () => askSettlement(stack, `sessions/${id}`),
      ({ status }) => status === 200,
    );

    expect(entry.text).not.toContain(user);
    expect(entry.body).toMatchObject({
      data: { game_session_id: id, end_reason: 'game_ended', compensation_sec: 0 },
    });
  });
});

describe('spec 2.3 envelope', () => {
  test('success is true on every 200, a verification failure included; each request_id differs; data is the answer', async () => {
    const { game } = await theStack();
    const verify = () =>
      send({
        method: 'POST',
        url: `${game.url}/v1/game/session/verify`,
        headers: { 'X-Api-Key': game.games[0]!.api_keys[0]!, 'Content-Type': 'application/json' },
        body: '{"ott":"00000000-0000-4000-8000-000000000000","provider_user_id":"u1"}',
      });
    const [one, two] = [await verify(), await verify()];

    for (const { status, body, headers } of [one, two]) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, request_id: headers['x-request-id'] });
    }
    expect(one.headers['x-request-id']).not.toBe(two.headers['x-request-id']);
  });
});
