import type { EventData } from '#libs/contracts/events.ts';
import { holdUnbilled } from '../../../../services/ott/usecases/hold-unbilled.ts';
import { newWorld, pcId } from './ott-world.ts';

test('pending play that is over while the partner is away counts with what was played, said once (D-26)', async () => {
  const world = newWorld();
  const played = { cafeId: 'cafe-1', pcId, gameId: 'starfall', providerUserId: 'u1', startedAtMs: 0 };
  const order = {
    gameSessionId: 'gs_1',
    playDurationSec: 30,
    stoppedAtMs: 30_000,
    reason: 'game_ended',
    played,
  };
  const retry = (attempt: number, of: object) =>
    holdUnbilled(world.ports)({
      ...{ gameSessionId: 'gs_1', attempt, firstFailedAtMs: 0, dueAtMs: 0, call: of },
    } as EventData<'billing-retry.scheduled'>);

  await retry(1, { operation: 'stop', order });
  await retry(2, { operation: 'stop', order });
  await retry(1, { operation: 'stop', order: { ...order, played: null } });
  await retry(1, { operation: 'start', order: played });

  expect(world.heldOf).toEqual([['gs_1', 30]]);
});
