import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { gameIdOf, gameServerOf, limits, newPlayer, theStack } from '../support/stage.ts';

const expiresMs = (limits.expiry + limits.slack) * 1000 + 3_000;

describe('spec 4.2, heartbeat', () => {
  test('OK: next_heartbeat_in is the interval, and play time counts', async () => {
    const stack = await theStack();
    const { server, id, user } = await newPlayer(stack);

    const heard = await eventually(
      () => server.heartbeat(id, user),
      (h) => h.ok && h.data.playDurationSec >= 1,
      4_000,
    );

    expect(heard).toMatchObject({ status: 200, data: { result: 'OK', nextHeartbeatIn: limits.heartbeat } });
  });

  test('SESSION_REPLACED: another game session began on the same PC, and later heartbeats hear it too (D-07)', async () => {
    const stack = await theStack();
    const first = await newPlayer(stack);
    const next = await first.pc.requestOtt(gameIdOf(stack, 1));
    await gameServerOf(stack, 1).verify(next.ok ? next.data.ott : '', first.user);

    const answers = [];
    for (let times = 0; times < 3; times += 1)
      answers.push(await first.server.heartbeat(first.id, first.user));

    for (const heard of answers)
      expect(heard).toMatchObject({ status: 200, data: { result: 'SESSION_REPLACED' } });
    expect(await first.server.end(first.id)).toMatchObject({ status: 409, code: 'ALREADY_ENDED' });
  });

  test('the expiry restarts with each heartbeat, and without one the session is gone (404), for both calls (D-07)', async () => {
    const stack = await theStack();
    const kept = await newPlayer(stack);
    const silent = await newPlayer(stack);
    const since = performance.now();
    let last = await kept.server.heartbeat(kept.id, kept.user);
    await eventually(
      async () => (last = await kept.server.heartbeat(kept.id, kept.user)),
      () => performance.now() - since > expiresMs,
      expiresMs + 5_000,
    );

    expect(last).toMatchObject({ data: { result: 'OK' } });
    expect(await silent.server.heartbeat(silent.id, silent.user)).toMatchObject({
      status: 404,
      code: 'SESSION_NOT_FOUND',
    });
    expect(await silent.server.end(silent.id)).toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
  }, 30_000);

  test('410 SESSION_ENDED after the end, once the partner has confirmed the stop', async () => {
    const { server, id, user } = await newPlayer(await theStack());
    await server.end(id);

    const heard = await eventually(
      () => server.heartbeat(id, user),
      (h) => !h.ok && h.code === 'SESSION_ENDED',
      5_000,
    );

    expect(heard).toMatchObject({ status: 410 });
  });

  test.each([
    ['a session that never was', () => newPlayer(theFresh), () => `gs_${randomUUID()}`, undefined, 0],
    ["a session of another game's key (D-05)", () => newPlayer(theFresh), undefined, undefined, 1],
    ['a session of another user (D-05)', () => newPlayer(theFresh), undefined, 'somebody-else', 0],
  ])('404 SESSION_NOT_FOUND for %s', async (_, player, id, user, game) => {
    const stack = (theFresh = await theStack());
    const { id: known, user: knownUser } = await player();

    const heard = await gameServerOf(stack, game).heartbeat(id?.() ?? known, user ?? knownUser);

    expect(heard).toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
  });

  test('410 SESSION_ENDED when the launcher has been silent for too long, and the session ends', async () => {
    const stack = await theStack();
    const { server, id, user } = await newPlayer(stack);

    const heard = await eventually(
      () => server.heartbeat(id, user),
      (h) => !h.ok,
      (limits.launcherSilence + 5) * 1000,
    );

    expect(heard).toMatchObject({ status: 410, code: 'SESSION_ENDED' });
    expect(await server.heartbeat(id, user)).toMatchObject({ status: 410, code: 'SESSION_ENDED' });
    expect(await server.end(id)).toMatchObject({ status: 409, code: 'ALREADY_ENDED' });
  }, 40_000);

  test("a launcher that closes ends its PC's game session", async () => {
    const { pc, server, id, user } = await newPlayer(await theStack());

    expect(await pc.end()).toMatchObject({ status: 200, data: { result: 'SUCCESS' } });

    const heard = await eventually(
      () => server.heartbeat(id, user),
      (h) => !h.ok,
      5_000,
    );
    expect(heard).toMatchObject({ status: 410 });
    expect(await pc.heartbeat()).toMatchObject({ status: 401, code: 'INVALID_SESSION_TOKEN' });
  });
});

let theFresh: Awaited<ReturnType<typeof theStack>>;
beforeAll(async () => {
  theFresh = await theStack();
});
