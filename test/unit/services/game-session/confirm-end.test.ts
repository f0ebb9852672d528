import { specLimits as limits } from '#libs/kernel/limits.ts';
import { delivery } from '../../../support/delivery.ts';
import { close } from '../../../../services/game-session/core/session.ts';
import { confirmEnd } from '../../../../services/game-session/usecases/confirm-end.ts';
import { startSession } from '../../../../services/game-session/usecases/start-session.ts';
import { eventsOf, newWorld, orderOf, sessionOf } from './game-session-world.ts';

const { gameSessionId } = orderOf(1);
/** A session whose play is over, and whose stop the partner has not confirmed. */
const ending = async () => {
  const world = newWorld();
  await startSession(world.ports)({ order: orderOf(1), pending: false, remainingSec: 1 }, delivery());
  const over = close(sessionOf(world, 1), { reason: 'game_ended', nowMs: world.nowMs + 60_000 }, limits);
  world.records.set(gameSessionId, over!);
  world.published.length = 0;
  return world;
};

describe('the partner confirms the stop of a session', () => {
  test('twice, as its end was published again: it is said again, and counted once (D-06)', async () => {
    const world = await ending();
    const confirm = confirmEnd(world.ports);

    await confirm({ gameSessionId, partnerPlayDurationSec: 61 });
    await confirm({ gameSessionId, partnerPlayDurationSec: 61 });

    expect(sessionOf(world, 1)).toMatchObject({ state: 'ended', partnerPlayDurationSec: 61 });
    expect(eventsOf(world)).toEqual(['game-session.ended', 'game-session.ended']);
    expect(world.confirmed).toEqual([gameSessionId]);
  });

  test('in the store’s one round trip: so too', async () => {
    const world = await ending();
    const ended = { ...sessionOf(world, 1), state: 'ended' as const, partnerPlayDurationSec: 61 };
    const answers = [ended];
    const stopped = async () => answers.shift();
    const { sessions } = world.ports;
    const ports = { ...world.ports, sessions: { ...sessions, over: { ...sessions.over, stopped } } };

    await confirmEnd(ports)({ gameSessionId, partnerPlayDurationSec: 61 });
    world.records.set(gameSessionId, ended);
    await confirmEnd(ports)({ gameSessionId, partnerPlayDurationSec: 61 });

    expect(eventsOf(world)).toEqual(['game-session.ended', 'game-session.ended']);
    expect(world.confirmed).toEqual([gameSessionId]);
  });

  test('while the log cannot be written: its end is said when it can be, and counted once', async () => {
    const world = await ending();
    const refused = { ...world.ports, publish: () => Promise.reject(new Error('the log is down')) };

    const confirming = confirmEnd(refused)({ gameSessionId, partnerPlayDurationSec: 61 });
    await expect(confirming).rejects.toThrow('the log is down');
    await confirmEnd(world.ports)({ gameSessionId, partnerPlayDurationSec: 61 });

    expect(eventsOf(world)).toEqual(['game-session.ended']);
    expect(world.confirmed).toEqual([gameSessionId]);
  });
});
