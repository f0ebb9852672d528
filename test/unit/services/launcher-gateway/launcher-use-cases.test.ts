import { hash } from 'node:crypto';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { withPin } from '#libs/kernel/partition-pins.ts';
import { uuidOfDigest } from '#libs/kernel/shards.ts';
import { handleDeadline } from '../../../../services/launcher-gateway/usecases/handle-deadline.ts';
import { heartbeatSession } from '../../../../services/launcher-gateway/usecases/heartbeat-session.ts';
import { requestOtt } from '../../../../services/launcher-gateway/usecases/request-ott.ts';
import {
  cafeIp,
  callerOf,
  end,
  eventsOf,
  newWorld,
  silenceMs,
  start,
  startedAtMs,
} from './launcher-world.ts';
import type { LauncherWorld } from './launcher-world.ts';
import { waitingCaller } from '../../../support/incoming.ts';

const beat = (world: LauncherWorld, caller = callerOf(world)) =>
  heartbeatSession(world.ports)({ caller } as Parameters<ReturnType<typeof heartbeatSession>>[0]);
const askForToken = (world: LauncherWorld, { gameId = 'starfall', ip = cafeIp } = {}) =>
  requestOtt(world.ports)({
    caller: callerOf(world, ip),
    incoming: waitingCaller,
    body: { gameId },
  } as Parameters<ReturnType<typeof requestOtt>>[0]);

describe('a launcher starts a session', () => {
  test('from an address of its cafe: it receives a token, the games and the server’s time', async () => {
    const world = newWorld();

    const answer = await start(world);

    expect(answer).toMatchObject({ games: [{ gameId: 'starfall', name: 'Starfall' }] });
    expect(answer.serverTime).toBe(new Date(startedAtMs).toISOString());
    expect(eventsOf(world)).toEqual(['launcher-session.started']);
  });

  test('with the instant at which it was written, so that no lapse that was written before it seems later (D-36, D-66)', async () => {
    const world = newWorld();
    world.supposesWrong(-300);

    const { serverTime } = await start(world);

    expect(world.published[0]).toMatchObject(['launcher-session.started', { atMs: startedAtMs }]);
    expect(serverTime).toBe(new Date(startedAtMs).toISOString());
  });

  test('whose id its token’s hash tells, but for how many partitions it tells, so that its record need not (D-57, D-63)', async () => {
    const world = newWorld();

    const { sessionToken } = await start(world);

    const launcherSessionId = withPin(uuidOfDigest(hash('sha256', sessionToken)), 3);
    expect(world.published[0]).toMatchObject(['launcher-session.started', { launcherSessionId }]);
  });

  test('a known address is not checked again', async () => {
    const world = newWorld();

    await start(world);
    await start(world);

    expect(world.requests).toHaveLength(1);
  });

  test('who joined a check that had no outcome asks again, for the rest of his own time', async () => {
    const world = newWorld();
    const first = Promise.withResolvers<undefined>();
    const waits: number[] = [];
    const request = async (_name: string, _check: object, { waitMs }: { waitMs: number }) => {
      waits.push(waitMs);
      return waits.length === 1 ? first.promise : { verdict: 'known', cafeId: 'cafe-1' };
    };
    const ports = { ...world.ports, request, waits: { ...world.ports.waits, checkMs: 60_000 } };
    const patient = { ...world, ports } as unknown as LauncherWorld;
    const [one, other] = [start(patient, 'pc-1'), start(patient, 'pc-2')];
    await new Promise(setImmediate);
    first.resolve(undefined);

    await expect(one).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(other).resolves.toMatchObject({ games: [{ gameId: 'starfall' }] });
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeLessThan(60_000);
  });

  test.each([
    ['another cafe’s address', { verdict: 'known', cafeId: 'cafe-2' }, 'NOT_PC_CAFE'],
    ['an address of no cafe', { verdict: 'unknown', cafeId: null }, 'NOT_PC_CAFE'],
    ['an address that the partner cannot check', { verdict: 'unavailable', cafeId: null }, 'UNAVAILABLE'],
    ['an address about which nobody answers in time', undefined, 'UNAVAILABLE'],
  ])('from %s: no session begins', async (_, verdict, code) => {
    const world = newWorld();
    world.verdict = verdict;

    await expect(start(world)).rejects.toMatchObject({ code });
    expect(world.records.size).toBe(0);
  });

  test('a second start on a PC replaces the first session, whose token is refused from then on', async () => {
    const world = newWorld();
    await start(world);
    const first = callerOf(world);

    await start(world);

    expect(world.records.get(first.session.id)?.state).toBe('replaced');
    await expect(beat(world, first)).rejects.toMatchObject({ code: 'INVALID_SESSION_TOKEN' });
    await expect(beat(world)).resolves.toMatchObject({ result: 'OK' });
  });

  test('a start on another PC of the cafe replaces nobody', async () => {
    const world = newWorld();
    await start(world, 'pc-1');
    const first = callerOf(world);

    await start(world, 'pc-2');

    await expect(beat(world, first)).resolves.toMatchObject({ result: 'OK' });
  });
});

describe('a launcher’s heartbeat', () => {
  test('restarts its silence (D-13)', async () => {
    const world = newWorld();
    await start(world);
    world.nowMs += silenceMs - 1;

    await beat(world);

    expect(callerOf(world).session.deadlineAtMs).toBe(world.nowMs + silenceMs);
  });

  test('that was lost once is made up for by the next, though that one takes a moment on its way (D-10, D-13)', async () => {
    const world = newWorld();
    await start(world);
    const { id } = callerOf(world).session;
    world.nowMs += 2 * limits.heartbeatIntervalSec * 1000 + 300;

    await handleDeadline(world.ports)(id);

    await expect(beat(world)).resolves.toMatchObject({ result: 'OK' });
  });

  test('is refused when the launcher was silent for too long', async () => {
    const world = newWorld();
    await start(world);
    world.nowMs += silenceMs;

    await expect(beat(world)).rejects.toMatchObject({ code: 'INVALID_SESSION_TOKEN' });
  });
});

describe('a launcher asks for a one-time token', () => {
  const replyKeys = ({ requests }: LauncherWorld) =>
    requests.filter(([name]) => name === 'ott.requested').map(([, data]) => data['replyKey']);

  test('where an ott of an older version may be about, it makes the token, which only this replica can decrypt', async () => {
    const world = newWorld();
    await start(world);
    world.seal = { replyKey: 'key of this replica', open: (sealedToken) => `${sealedToken}, decrypted` };
    world.ott = { sealedToken: 'encrypted' };

    await expect(askForToken(world)).resolves.toMatchObject({ ott: 'encrypted, decrypted' });
    expect(replyKeys(world)).toEqual(['key of this replica']);
  });

  test('where none is, no key is sent, and a token that it has made nevertheless is no answer', async () => {
    const world = newWorld();
    await start(world);
    world.ott = { sealedToken: 'encrypted' };

    await expect(askForToken(world)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(replyKeys(world)).toEqual([null]);
  });

  test('it receives the token whose hash ott has issued, and asking is a sign of life (D-18)', async () => {
    const world = newWorld();
    await start(world);
    world.nowMs += 60_000;

    const answer = await askForToken(world);

    const hashes = world.requests.map(([, data]) => data['tokenHash']).filter(Boolean);
    expect(hashes.map((tokenHash) => String(tokenHash).replace('ott-hash', 'ott'))).toEqual([answer.ott]);
    expect(answer).toMatchObject({ gameId: 'starfall', expiresInSec: limits.ottTtlSec });
    expect(callerOf(world).session.lastSeenAtMs).toBe(world.nowMs);
  });

  test('for a game that is not in the catalog nothing is requested', async () => {
    const world = newWorld();
    await start(world);

    await expect(askForToken(world, { gameId: 'nothing' })).rejects.toMatchObject({ code: 'GAME_NOT_FOUND' });
    expect(world.requests.map(([name]) => name)).toEqual(['cafe-check.requested']);
  });

  test('from another address than the session’s the cafe is checked again (D-17)', async () => {
    const world = newWorld();
    await start(world);
    world.verdict = { verdict: 'known', cafeId: 'cafe-2' };

    await expect(askForToken(world, { ip: '203.0.113.9' })).rejects.toMatchObject({ code: 'NOT_PC_CAFE' });
  });

  test('when no token comes in time the answer is UNAVAILABLE', async () => {
    const world = newWorld();
    await start(world);
    world.ott = undefined;

    await expect(askForToken(world)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('a launcher session ends', () => {
  test('once when the launcher closes: the event says when, the token is refused afterwards', async () => {
    const world = newWorld();
    await start(world);
    world.nowMs += 5_000;

    await expect(end(world)).resolves.toEqual({ result: 'SUCCESS' });

    expect(world.published.at(-1)).toMatchObject(['launcher-session.ended', { atMs: world.nowMs }]);
    await expect(end(world)).rejects.toMatchObject({ code: 'INVALID_SESSION_TOKEN' });
  });

  test('by silence: it lapses once and is forgotten an hour later', async () => {
    const world = newWorld();
    await start(world);
    const { id } = callerOf(world).session;
    world.nowMs += silenceMs;

    await handleDeadline(world.ports)(id);
    await handleDeadline(world.ports)(id);
    expect(eventsOf(world)).toEqual(['launcher-session.started', 'launcher-session.lapsed']);

    world.nowMs += limits.endedMemorySec * 1000;
    await handleDeadline(world.ports)(id);
    expect(world.records.size).toBe(0);
  });
});
