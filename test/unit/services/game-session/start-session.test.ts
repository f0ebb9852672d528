import { unavailable } from '#libs/contracts/errors.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { delivery } from '../../../support/delivery.ts';
import { confirmEnd } from '../../../../services/game-session/usecases/confirm-end.ts';
import { handleDeadline } from '../../../../services/game-session/usecases/handle-deadline.ts';
import { refuseSession } from '../../../../services/game-session/usecases/refuse-session.ts';
import { startSession } from '../../../../services/game-session/usecases/start-session.ts';
import { eventsOf, newWorld, orderOf, pcId, sessionOf } from './game-session-world.ts';
import type { GameSessionWorld } from './game-session-world.ts';

const start = (world: GameSessionWorld, serial = 1, atMs?: number) =>
  startSession(world.ports)({ order: orderOf(serial, atMs), pending: false, remainingSec: 1 }, delivery());
const refuse = (
  world: GameSessionWorld,
  serial = 1,
  reason: EventData<'billing.refused'>['reason'] = 'too_late',
) => refuseSession(world.ports)({ order: orderOf(serial), reason }, delivery());
const confirm = (world: GameSessionWorld, serial = 1) =>
  confirmEnd(world.ports)({ gameSessionId: orderOf(serial).gameSessionId, partnerPlayDurationSec: 0 });
const over = { endReason: 'silence', playDurationSec: 0 };

describe('of a refusal and a start of the same order, the first one on the log counts (D-34)', () => {
  test('the refusal came first: no session lives, its billing is stopped, and the seat stays free', async () => {
    const world = newWorld();

    await refuse(world);
    await start(world);

    expect(sessionOf(world, 1)).toMatchObject({ state: 'ended', ...over });
    expect(eventsOf(world)).toEqual(['game-session.ending']);
    expect(world.replies).toEqual([{ unavailable: true }, { unavailable: true }]);
    expect(world.seats.get(pcId)).toBeUndefined();
  });

  test('the refusal takes no seat from who plays there', async () => {
    const world = newWorld();
    await start(world, 2);

    await refuse(world, 1);
    await start(world, 1);

    expect(sessionOf(world, 2).state).toBe('active');
    expect(world.seats.get(pcId)).toBe(orderOf(2).gameSessionId);
  });

  test('of a session that never began nothing is said when the stop of its claim is confirmed', async () => {
    const world = newWorld();
    await refuse(world);

    await confirm(world);

    expect(eventsOf(world)).toEqual([]);
    expect(sessionOf(world, 1)).toMatchObject({ state: 'ended', partnerPlayDurationSec: null });
  });

  test('the start came first: the session plays on', async () => {
    const world = newWorld();

    await start(world);
    await refuse(world);

    expect(sessionOf(world, 1).state).toBe('active');
    expect(eventsOf(world)).toEqual(['game-session.started']);
  });

  test('the verify that is repeated with its key receives the session that plays, although the partner does not answer the second start (D-15)', async () => {
    const world = newWorld();
    await start(world);

    await refuse(world, 1, 'partner_unavailable');

    const { gameSessionId } = orderOf(1);
    expect(world.replies.at(-1)).toEqual({ isValid: true, gameSessionId, isPcCafe: true });
  });
});

test('a start that is delivered again when its play is over may have started billing again: it is stopped again (I3)', async () => {
  const world = newWorld();
  await start(world);
  world.nowMs += (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;
  await handleDeadline(world.ports)(orderOf(1).gameSessionId);
  await confirm(world);

  await start(world);

  expect(world.published.at(-1)).toMatchObject(['game-session.ending', { again: true }]);
});

test('a start that comes when a later session of the PC plays is over at once: its verify is answered 503, at each delivery, and its billing is stopped (I2)', async () => {
  const world = newWorld();
  await start(world, 2, world.nowMs);

  await start(world, 1, world.nowMs - 1);
  await start(world, 1, world.nowMs - 1);

  expect(sessionOf(world, 1)).toMatchObject({ state: 'ending', endReason: 'replaced', playDurationSec: 0 });
  expect(sessionOf(world, 2).state).toBe('active');
  expect(world.replies.slice(1)).toEqual([{ unavailable: true }, { unavailable: true }]);
  const ends = world.published.slice(1);
  expect(ends).toMatchObject([
    ['game-session.ending', { session: { gameSessionId: orderOf(1).gameSessionId } }],
    ['game-session.ending', { again: true }],
  ]);
  expect(ends[0]?.[1]).not.toHaveProperty('again');
});

describe('a start that comes when the session would have expired (I6, D-34)', () => {
  const lateMs = (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;

  test('begins nothing: its billing is stopped until confirmed, with no second of play', async () => {
    const world = newWorld();
    world.nowMs += lateMs;

    await start(world);

    expect(sessionOf(world, 1)).toMatchObject({ state: 'ending', ...over });
    expect(eventsOf(world)).toEqual(['game-session.ending']);
    expect(world.replies).toEqual([{ unavailable: true }]);

    await confirm(world);
    expect(sessionOf(world, 1).state).toBe('ended');
  });

  test('does not revive a session that ended and is forgotten', async () => {
    const world = newWorld();
    await start(world);
    world.nowMs += lateMs;
    await handleDeadline(world.ports)(orderOf(1).gameSessionId);
    await confirm(world);
    world.nowMs += limits.endedMemorySec * 1000;
    await handleDeadline(world.ports)(orderOf(1).gameSessionId);
    expect(world.records.size).toBe(0);

    await start(world);

    expect(sessionOf(world, 1)).toMatchObject({ state: 'ending', ...over });
    expect(world.seats.get(pcId)).toBeUndefined();
  });

  test('a moment earlier it begins, for a caller that repeats its verify', async () => {
    const world = newWorld();
    world.nowMs += lateMs - 1;

    await start(world);

    expect(sessionOf(world, 1).state).toBe('active');
  });
});

test('what the log could not take of an end is said again when its confirmation is delivered again', async () => {
  const world = newWorld();
  await start(world);
  world.nowMs += (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000;
  await handleDeadline(world.ports)(orderOf(1).gameSessionId);
  const away = { ...world, ports: { ...world.ports, publish: () => Promise.reject(unavailable()) } };

  await expect(confirm(away)).rejects.toEqual(unavailable());
  await confirm(world);

  expect(sessionOf(world, 1).state).toBe('ended');
  expect(eventsOf(world).at(-1)).toBe('game-session.ended');
});

describe('what the partner says is left at a start counts for its cafe (D-62)', () => {
  test.each([
    [90_000, [['cafe-1', 90_000]]],
    [null, []],
  ])('%s s', async (remainingSec, told) => {
    const world = newWorld();

    await startSession(world.ports)({ order: orderOf(1), pending: false, remainingSec }, delivery());

    expect(world.told).toEqual(told);
  });
});
