import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/raw.ts';
import { gameIdOf, gameServerOf, limits, newPlayer, theStack } from '../support/suite-stack.ts';

/** A heartbeat as curl would send it. */
const rawHeartbeat = async (body: object) => {
  const { game } = await theStack();
  return send({
    method: 'PATCH',
    url: `${game.url}/v1/game/session/heartbeat`,
    headers: { 'X-Api-Key': game.games[0]!.api_keys[0]!, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
};

describe('spec 4.2 request: both fields are required and name one session', () => {
  test.each(['game_session_id', 'provider_user_id'])('without %s it is 400', async (field) => {
    const { id, user } = await newPlayer(await theStack());
    const whole: Record<string, string> = { game_session_id: id, provider_user_id: user };

    const partial = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));

    expect(await rawHeartbeat(whole)).toMatchObject({ status: 200 });
    expect(await rawHeartbeat(partial)).toMatchObject({ status: 400 });
  });

  test.each<[whose: string, change: (ids: { id: string; user: string }) => object, game: number]>([
    ['a session that never was', () => ({ id: `gs_${randomUUID()}` }), 0],
    ["a session of another game's key (D-05)", () => ({}), 1],
    ['a session of another user (D-05)', () => ({ user: 'somebody-else' }), 0],
    ['a user whose id differs in a letter’s case (D-05)', ({ user }) => ({ user: user.toUpperCase() }), 0],
  ])('404 SESSION_NOT_FOUND for %s, and the session plays on', async (_, change, game) => {
    const stack = await theStack();
    const player = await newPlayer(stack);
    const asked = { ...player, ...change(player) };

    expect(await gameServerOf(stack, game).heartbeat(asked.id, asked.user)).toMatchObject({
      status: 404,
      code: 'SESSION_NOT_FOUND',
    });
    expect(await player.server.heartbeat(player.id, player.user)).toMatchObject({ data: { result: 'OK' } });
  });
});

describe('spec 4.2 response: exactly three fields in the envelope of 2.3', () => {
  test('result, next_heartbeat_in and play_duration_sec', async () => {
    const { id, user } = await newPlayer(await theStack());

    const { status, body } = await rawHeartbeat({ game_session_id: id, provider_user_id: user });

    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      request_id: expect.stringMatching(/^req_/),
      data: { result: 'OK', next_heartbeat_in: limits.heartbeat, play_duration_sec: expect.any(Number) },
    });
  });

  test('the same three when the session was replaced', async () => {
    const stack = await theStack();
    const { id, user, pc } = await newPlayer(stack);
    await newPlayer(stack, { pc });

    const { body } = await rawHeartbeat({ game_session_id: id, provider_user_id: user });

    expect(body).toEqual({
      success: true,
      request_id: expect.stringMatching(/^req_/),
      data: {
        result: 'SESSION_REPLACED',
        next_heartbeat_in: limits.heartbeat,
        play_duration_sec: expect.any(Number),
      },
    });
  });

  test('play_duration_sec is the seconds that the player has played, and grows', async () => {
    const since = performance.now();
    const { server, id, user } = await newPlayer(await theStack());

    const answer = await eventually(
      () => server.heartbeat(id, user),
      (h) => h.ok && h.data.playDurationSec >= 2,
      6_000,
    );

    const atMost = (performance.now() - since) / 1000 + 1;
    expect(answer.ok && answer.data.playDurationSec).toBeLessThanOrEqual(atMost);
  });
});

// CHARGE_EXHAUSTED is in 3.2-billing-and-the-partner.test.ts, with all that touches balances.
describe('spec 4.2 results', () => {
  test('OK: come again after next_heartbeat_in seconds', async () => {
    const { server, id, user } = await newPlayer(await theStack());

    expect(await server.heartbeat(id, user)).toMatchObject({
      status: 200,
      data: { result: 'OK', nextHeartbeatIn: limits.heartbeat },
    });
  });

  test('SESSION_REPLACED: another game session began on the same PC; every later heartbeat hears it too (D-07)', async () => {
    const stack = await theStack();
    const first = await newPlayer(stack);
    const next = await first.pc.requestOtt(gameIdOf(stack, 1));
    await gameServerOf(stack, 1).verify(next.ok ? next.data.ott : '', first.user);

    const answers = [];
    for (let times = 0; times < 3; times += 1)
      answers.push(await first.server.heartbeat(first.id, first.user));

    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, data: { result: 'SESSION_REPLACED' } });
    expect(await first.server.end(first.id)).toMatchObject({ status: 409, code: 'ALREADY_ENDED' });
  });
});
