import { startSession as startGame } from '../../../services/game-session/usecases/start-session.ts';
import { end } from '../../../services/game-session/usecases/end.ts';
import { heartbeat } from '../../../services/game-session/usecases/heartbeat.ts';
import { verify } from '../../../services/game-session/usecases/verify.ts';
import type { Ports } from '../../../services/game-session/ports.ts';
import { requestOtt } from '../../../services/launcher-gateway/usecases/request-ott.ts';
import { startSession } from '../../../services/launcher-gateway/usecases/start-session.ts';
import { delivery } from '../../support/delivery.ts';
import { newWorld as newGameWorld, orderOf, sessionOf } from './game-session/game-session-world.ts';
import { callerOf, cafeIp, newWorld as newLauncherWorld, start } from './launcher-gateway/launcher-world.ts';

const unavailable = { code: 'UNAVAILABLE', details: { retryAfterSec: 1 } };
/** The caller closed its connection while its request lay before us. */
const incoming = { hasGone: () => true, headers: {} };
const caller = { gameId: 'starfall', keyId: 'k1', outagePolicy: 'continue' as const };
const { gameSessionId } = orderOf(1);

describe('a request whose caller has gone is not worked on (D-09)', () => {
  test.each([
    ['a heartbeat', heartbeat, { gameSessionId, providerUserId: 'u1' }],
    ['an end', end, { gameSessionId }],
  ])('%s changes nothing', async (_, useCase, body) => {
    const world = newGameWorld();
    await startGame(world.ports)({ order: orderOf(1), pending: false, remainingSec: 1 }, delivery());
    const [before, told] = [sessionOf(world, 1), world.published.length];
    world.nowMs += 60_000;

    await expect(useCase(world.ports)({ body, caller, incoming } as never)).rejects.toMatchObject(
      unavailable,
    );

    expect(sessionOf(world, 1)).toEqual(before);
    expect(world.published).toHaveLength(told);
  });

  test('a verify presents nothing', async () => {
    const world = newGameWorld();
    const requested: unknown[] = [];
    const ports = {
      ...world.ports,
      request: async (name: string) => void requested.push(name),
      tokens: { hash: (text: string) => text },
      rateLimits: { verify: async () => void requested.push('limit') },
      ids: { uuid: () => orderOf(1).presentationId, pinned: (uuid: string) => uuid },
    } as unknown as Ports;
    const body = { ott: orderOf(1).presentationId, providerUserId: 'u1' };

    await expect(verify(ports)({ body, caller, incoming } as never)).rejects.toMatchObject(unavailable);

    expect(requested).toEqual([]);
  });

  test('a session start takes no seat', async () => {
    const world = newLauncherWorld();
    const signed = {
      cafeId: 'cafe-1',
      keyId: 'cafe-1.k1',
      keyFingerprint: 'f1',
      isOwnKey: false,
      ip: cafeIp,
    };
    const body = { internalIp: '192.168.0.2', hardware: { machineId: 'pc-1' } };

    const started = startSession(world.ports)({ body, caller: signed, incoming } as never);

    await expect(started).rejects.toMatchObject(unavailable);
    expect(world.records.size).toBe(0);
    expect(world.published).toEqual([]);
  });

  test('a request for a token makes none', async () => {
    const world = newLauncherWorld();
    await start(world);
    const asked = world.requests.length;

    const body = { gameId: 'starfall' };
    const token = requestOtt(world.ports)({ body, caller: callerOf(world), incoming } as never);

    await expect(token).rejects.toMatchObject(unavailable);
    expect(world.requests).toHaveLength(asked);
  });
});
