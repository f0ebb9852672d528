import { eventually } from '../support/eventually.ts';
import { askSettlement } from '../support/settlement.ts';
import {
  billingOf,
  gameIdOf,
  gameServerOf,
  limits,
  newPc,
  newPlayer,
  theStack,
} from '../support/suite-stack.ts';

describe('spec 1 components', () => {
  test('Launcher: it asks for a one-time token with the session that its signed start has opened', async () => {
    const stack = await theStack();
    const pc = newPc(stack);

    expect(await pc.requestOtt(gameIdOf(stack))).toMatchObject({ ok: false, status: 401 });
    expect(await pc.start()).toMatchObject({ ok: true });
    expect(await pc.requestOtt(gameIdOf(stack))).toMatchObject({ ok: true });
  });

  test('Game server: it calls verify, heartbeat and end with its API key', async () => {
    const stack = await theStack();
    const { server, id, user } = await newPlayer(stack);

    expect(await server.heartbeat(id, user)).toMatchObject({ ok: true });
    expect(await server.end(id)).toMatchObject({ ok: true });
  });

  test('Service and PC-cafe auth server: billing is opened there, at the cafe that the address belongs to', async () => {
    const stack = await theStack();
    const [here, there] = [await newPlayer(stack, { cafe: 0 }), await newPlayer(stack, { cafe: 1 })];

    const cafes = [here, there].map(async ({ id }) => (await billingOf(stack, id))?.cafe_id);

    expect(await Promise.all(cafes)).toEqual([stack.cafes[0]!.cafe_id, stack.cafes[1]!.cafe_id]);
  });
});

describe('spec 1 flow: one player, from the launcher to the ledger', () => {
  test.each([1, 2])(
    'Session start, OTT issue and game launch, OTT verification and billing start, Heartbeat, Session end (time %i)',
    async () => {
      const stack = await theStack();
      const pc = newPc(stack);

      const started = await pc.start();
      expect(started.ok && started.data.games.map(({ gameId }) => gameId)).toContain(gameIdOf(stack));

      const asked = await pc.requestOtt(gameIdOf(stack));
      expect(asked).toMatchObject({ data: { gameId: gameIdOf(stack), expiresInSec: limits.ottTtl } });

      const server = gameServerOf(stack);
      const verified = await server.verify(asked.ok ? asked.data.ott : '', 'u1');
      expect(verified).toMatchObject({ data: { isValid: true, isPcCafe: true } });
      const id = verified.ok && verified.data.isValid ? verified.data.gameSessionId : '';
      expect(await billingOf(stack, id)).toMatchObject({
        status: 'started',
        provider_user_id: expect.any(String),
      });

      expect(await server.heartbeat(id, 'u1')).toMatchObject({ data: { result: 'OK' } });

      const ended = await server.end(id, 1);
      expect(ended).toMatchObject({ data: { result: 'SUCCESS', clientPlayDurationSec: 1 } });

      const entry = await eventually(
        () => askSettlement(stack, `sessions/${id}`),
        ({ status }) => status === 200,
        15_000,
      );
      expect(entry.body).toMatchObject({
        data: { game_session_id: id, play_duration_sec: ended.ok && ended.data.playDurationSec },
      });
    },
  );

  test('Session end, abnormal: a player whose game server falls silent is ended by the service, and billing stops', async () => {
    const stack = await theStack();
    const { id } = await newPlayer(stack);

    const billing = await eventually(
      () => billingOf(stack, id),
      (found) => found?.status === 'stopped',
      (limits.expiry + limits.slack + 15) * 1000,
    );

    expect(billing).toMatchObject({ play_duration_sec: 0, requests: { start: 1 } });
  }, 30_000);
});
