import { Refusal } from '#libs/contracts/errors.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { applyExhaustion } from '../../../../services/game-session/usecases/apply-exhaustion.ts';
import { applyRenewals } from '../../../../services/game-session/usecases/apply-renewal.ts';
import { checkUnknownBilling } from '../../../../services/game-session/usecases/check-unknown-billing.ts';
import { handleDeadline } from '../../../../services/game-session/usecases/handle-deadline.ts';
import { heartbeat } from '../../../../services/game-session/usecases/heartbeat.ts';
import { startSession } from '../../../../services/game-session/usecases/start-session.ts';
import { delivery } from '../../../support/delivery.ts';
import { eventsOf, newWorld, orderOf, sessionOf } from './game-session-world.ts';
import type { GameSessionWorld } from './game-session-world.ts';
import { waitingCaller } from '../../../support/incoming.ts';

const { gameSessionId } = orderOf(1);
const beat = (world: GameSessionWorld) =>
  heartbeat(world.ports)({
    caller: { gameId: 'starfall' },
    incoming: waitingCaller,
    body: { gameSessionId, providerUserId: 'u1' },
  } as Parameters<ReturnType<typeof heartbeat>>[0]);
const exhaust = (world: GameSessionWorld) => applyExhaustion(world.ports)({ gameSessionId }, delivery());
const playing = async (): Promise<GameSessionWorld> => {
  const world = newWorld();
  await startSession(world.ports)({ order: orderOf(1), pending: false, remainingSec: 1 }, delivery());
  return world;
};

describe('the grace begins when CHARGE_EXHAUSTED has been answered (D-37)', () => {
  test('the renewal came after the answer OK: the next heartbeat, almost two minutes later, is told of a whole grace', async () => {
    const world = await playing();
    await expect(beat(world)).resolves.toMatchObject({ result: 'OK' });
    await exhaust(world);

    world.nowMs += 119_000;

    await expect(beat(world)).resolves.toMatchObject({ result: 'CHARGE_EXHAUSTED', nextHeartbeatIn: 60 });
    expect(sessionOf(world, 1).deadlineAtMs).toBe(world.nowMs + limits.graceSec * 1000);
  });

  test('the renewal came in time: the grace begins with this answer, and is not prolonged by the next', async () => {
    const world = await playing();
    const toldAtMs = world.nowMs;
    await exhaust(world);
    world.renewal = { exhausted: true, nextHeartbeatIn: 120 };

    await expect(beat(world)).resolves.toMatchObject({ result: 'CHARGE_EXHAUSTED', nextHeartbeatIn: 60 });
    world.nowMs += 90_000;
    await expect(beat(world)).resolves.toMatchObject({ result: 'CHARGE_EXHAUSTED', nextHeartbeatIn: 15 });

    expect(sessionOf(world, 1).deadlineAtMs).toBe(toldAtMs + limits.graceSec * 1000);
    world.nowMs = toldAtMs + limits.graceSec * 1000;
    await handleDeadline(world.ports)(gameSessionId);
    expect(sessionOf(world, 1)).toMatchObject({ state: 'ending', endReason: 'grace_over' });
  });

  test('who waits as long as he is told hears of a top-up before the grace is over (D-08)', async () => {
    const world = await playing();
    await exhaust(world);
    world.renewal = { exhausted: true, nextHeartbeatIn: 120 };
    const told = await beat(world);
    world.nowMs += 30_000;
    const balance = { gameSessionId, remainingSec: 3_600, recharges: true };
    world.renewal = { exhausted: false, nextHeartbeatIn: 120, remainingSec: 3_600 };

    world.nowMs += told.nextHeartbeatIn * 1000 - 30_000;
    await expect(beat(world)).resolves.toMatchObject({ result: 'OK' });
    await applyRenewals(world.ports).together([{ name: 'billing.renewed', data: balance, meta: delivery() }]);

    expect(sessionOf(world, 1)).toMatchObject({ state: 'active', exhaustedAtMs: null });
  });

  test('a top-up before the next heartbeat: no grace ever began', async () => {
    const world = await playing();
    await exhaust(world);
    const data = { gameSessionId, remainingSec: 100, recharges: true };
    await applyRenewals(world.ports).together([{ name: 'billing.renewed', data, meta: delivery() }]);

    await expect(beat(world)).resolves.toMatchObject({ result: 'OK' });
    expect(sessionOf(world, 1)).toMatchObject({ state: 'active', exhaustedAtMs: null });
  });

  test.each(['ending', 'ended'] as const)(
    'billing started when play was %s: its end is published again, so that billing stops (D-60)',
    async (state) => {
      const world = await playing();
      world.records.set(gameSessionId, { ...sessionOf(world, 1), state, endReason: 'game_ended' });
      const data = { gameSessionId, remainingSec: 100, recharges: true };
      await applyRenewals(world.ports).together([{ name: 'billing.renewed', data, meta: delivery() }]);

      expect(world.published.at(-1)).toMatchObject([
        'game-session.ending',
        { again: true, session: { state } },
      ]);
    },
  );

  test.each([
    ['active', []],
    ['charge_exhausted', []],
    ['ending', ['game-session.ending']],
    ['ended', ['game-session.ending']],
  ] as const)(
    'the partner does not know its billing: of a session that is %s is said %j (D-60)',
    async (state, said) => {
      const world = await playing();
      world.records.set(gameSessionId, { ...sessionOf(world, 1), state });
      const before = world.published.length;

      await checkUnknownBilling(world.ports)({ gameSessionId });

      expect(eventsOf(world).slice(before)).toEqual(said);
    },
  );

  test('the log is away: the answer stands, and the grace is left pending (D-23)', async () => {
    const world = await playing();
    await exhaust(world);
    const away = async () => Promise.reject(new Refusal('UNAVAILABLE'));
    const ports = { ...world.ports, publish: away };

    await expect(beat({ ...world, ports })).resolves.toMatchObject({ result: 'CHARGE_EXHAUSTED' });

    expect(world.pending).toEqual([gameSessionId]);
    expect(eventsOf(world).at(-1)).toBe('game-session.heartbeat');
  });
});

describe('a heartbeat that does not wait, because many come and the balance lasts (D-62)', () => {
  const inCrowd = async (): Promise<GameSessionWorld> =>
    Object.assign(await playing(), { balancesLast: true });

  test('is OK at once, and is published later', async () => {
    const world = await inCrowd();

    await expect(beat(world)).resolves.toMatchObject({ result: 'OK', nextHeartbeatIn: 120 });

    expect(world.later).toEqual([gameSessionId]);
    expect(eventsOf(world)).not.toContain('game-session.heartbeat');
  });

  test('and whose balance is used up nevertheless: the next one is told, of a whole grace, and the cafe lasts no longer', async () => {
    const world = await inCrowd();
    await beat(world);
    await exhaust(world);

    await expect(beat(world)).resolves.toMatchObject({ result: 'CHARGE_EXHAUSTED', nextHeartbeatIn: 60 });

    expect(world.told.at(-1)).toEqual(['cafe-1', 0]);
    expect(world.later).toEqual([gameSessionId]);
  });

  test.each([
    ['is left', { exhausted: false, remainingSec: 500 }, 500],
    ['is used up', { exhausted: true }, 0],
  ])('what the partner says %s to one that waits counts for its cafe', async (_, renewal, sec) => {
    const world = await playing();
    world.renewal = { ...renewal, nextHeartbeatIn: 120 };

    await beat(world);

    expect(world.told.at(-1)).toEqual(['cafe-1', sec]);
  });
});
