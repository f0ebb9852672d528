import { toWire } from '#libs/contracts/wire.ts';
import { refuseSession } from '../../../../services/game-session/usecases/refuse-session.ts';
import { startSession } from '../../../../services/game-session/usecases/start-session.ts';
import { createReading } from '../../../accuracy/what-the-log-says.ts';
import { delivery } from '../../../support/delivery.ts';
import { newWorld, orderOf } from '../../services/game-session/game-session-world.ts';
import type { GameSessionWorld } from '../../services/game-session/game-session-world.ts';

const started = { order: orderOf(1), pending: false, remainingSec: 1 };
const read = (published: GameSessionWorld['published']) => {
  const reading = createReading();
  for (const [name, data] of published) reading.note(name, toWire(data));
  return reading.lines().filter((line) => line.kind === 'log');
};

test('a session whose start came after its refusal has its end on the log, which is said as one that is made again (D-34, D-60)', async () => {
  const world = newWorld();
  await refuseSession(world.ports)({ order: orderOf(1), reason: 'too_late' }, delivery());
  await startSession(world.ports)(started, delivery());

  expect(read(world.published)).toMatchObject([
    { id: orderOf(1).gameSessionId, steps: [[3, 'ending', 0]], stoppedAgain: true },
  ]);
});

test('an end that is said again is no second one, whichever is read first', async () => {
  const world = newWorld();
  await startSession(world.ports)({ ...started, order: orderOf(2) }, delivery());
  world.published.length = 0;
  const earlier = { ...started, order: orderOf(1, started.order.startedAtMs - 1) };
  await startSession(world.ports)(earlier, delivery());
  await startSession(world.ports)(earlier, delivery());

  expect(world.published).toHaveLength(2);
  for (const told of [world.published, world.published.toReversed()])
    expect(read(told)).toMatchObject([{ steps: [[2, 'ending', 0]], stoppedAgain: true }]);
});
