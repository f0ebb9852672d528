import type { IncomingRequest } from '#libs/http/incoming-request.ts';
import type { Route } from '#libs/http/route.ts';
import type { Log } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { api as gameApi } from '../../../services/game-session/api.ts';
import { startSession } from '../../../services/game-session/usecases/start-session.ts';
import { api as launcherApi } from '../../../services/launcher-gateway/api.ts';
import { delivery } from '../../support/delivery.ts';
import { newWorld as newGameWorld, orderOf } from './game-session/game-session-world.ts';
import { callerOf, newWorld as newLauncherWorld, start } from './launcher-gateway/launcher-world.ts';

const herd = 1_000;
const intervalSec = 120;
const silentLog = {} as Log;
const context = (service: 'game-session' | 'launcher-gateway', clock: () => number) => ({
  ...{ metrics: createMetrics(service), security: () => undefined, log: silentLog, clock },
});

/** What a route says to a body, as often as it is asked in one second. */
const answers = async (
  routes: readonly Route[],
  name: string,
  { caller, body = {} }: { caller: unknown; body?: unknown },
) => {
  const { handle } = routes.find(({ contract }) => contract.name === name)!;
  const incoming = {
    ...{ rawBody: Buffer.from(JSON.stringify(body)), hasGone: () => false },
    headers: { 'content-type': 'application/json' },
  } as unknown as IncomingRequest;
  const said: unknown[] = [];
  for (let each = 0; each < herd; each += 1)
    said.push(await handle(caller, incoming, { params: {}, query: {} }));
  return said;
};

const playing = async () => {
  const world = newGameWorld();
  await startSession(world.ports)({ order: orderOf(1), pending: false, remainingSec: 1 }, delivery());
  const session = { game_session_id: orderOf(1).gameSessionId, provider_user_id: 'u1' };
  const routes = gameApi(
    world.ports,
    context('game-session', () => world.nowMs),
  );
  return { routes, session, caller: { gameId: 'starfall', keyId: 'k1' } };
};

/** Some come after the interval, some after half of it, and nobody is asked for anything else. */
const expectSpread = (said: readonly (number | undefined)[]) => {
  expect(said[0]).toBe(intervalSec);
  expect(Math.max(...said.map(Number))).toBe(intervalSec);
  expect(Math.min(...said.map(Number))).toBe(intervalSec / 2);
};

describe('each heartbeat that comes with a herd is told when to come again (D-55)', () => {
  test('of a game session', async () => {
    const { routes, session, caller } = await playing();

    const said = await answers(routes, 'heartbeat', { caller, body: session });

    expectSpread((said as { next_heartbeat_in: number }[]).map((each) => each.next_heartbeat_in));
  });

  test('of a batch', async () => {
    const { routes, session, caller } = await playing();

    const said = await answers(routes, 'heartbeats', { caller, body: { sessions: [session] } });

    const batches = said as { results: { data: { next_heartbeat_in: number } }[] }[];
    expectSpread(batches.map(({ results }) => results[0]?.data.next_heartbeat_in));
  });

  test('of a launcher, which hears the interval when it starts', async () => {
    const world = newLauncherWorld();
    const started = await start(world);
    const routes = launcherApi(
      world.ports,
      context('launcher-gateway', () => world.nowMs),
    );

    const said = await answers(routes, 'session-heartbeat', { caller: callerOf(world) });

    expect(started.heartbeatIntervalSec).toBe(intervalSec);
    expectSpread((said as { next_heartbeat_in: number }[]).map((each) => each.next_heartbeat_in));
  });
});
