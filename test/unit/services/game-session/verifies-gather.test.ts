import type { Log } from '#libs/runtime/log.ts';
import { createMetrics } from '#libs/runtime/metrics.ts';
import { turnsMs } from '#libs/runtime/turns.ts';
import { api } from '../../../../services/game-session/api.ts';
import { newWorld } from './game-session-world.ts';

/** For how long the requests of a route gather while the process has time left, in ms. */
const gathersMs = (name: string): number => {
  const world = newWorld();
  const metrics = createMetrics('game-session');
  const context = { metrics, security: () => undefined, log: {} as Log, clock: () => world.nowMs };
  const { gathers } = api(world.ports, context).find(({ contract }) => contract.name === name)!;
  return turnsMs[gathers?.() ?? 'usual'].calm;
};

test('a verify, which goes through several services and back, gathers for longer than an end (D-56)', () => {
  expect([gathersMs('verify'), gathersMs('end')]).toEqual([32, 16]);
});
