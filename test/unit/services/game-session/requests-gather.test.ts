import type { Log } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { turnLengths } from '#libs/runtime/turns.ts';
import { api } from '../../../../services/game-session/api.ts';
import { newWorld } from './game-session-world.ts';

test('what game servers ask gathers in the same turns, of 32 ms, unless heartbeats are few (D-56)', () => {
  const world = newWorld();
  const metrics = createMetrics('game-session');
  const context = { metrics, security: () => undefined, log: {} as Log, clock: () => world.nowMs };

  const lengths = api(world.ports, context).map(
    ({ contract: { name }, gathers }) => [name, turnLengths[gathers?.() ?? 'usual'].calm] as const,
  );

  expect(Object.fromEntries(lengths)).toEqual({
    ...{ verify: 32, end: 32, heartbeats: 32, ends: 32 },
    heartbeat: turnLengths.long.calm,
  });
});
