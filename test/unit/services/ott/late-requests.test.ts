import { issue, newWorld } from './ott-world.ts';
import type { OttWorld } from './ott-world.ts';

const eventsOf = ({ published }: OttWorld) => published.map(([name]) => name);

test.each([
  ['of three weeks ago, played back from the dead letters', 21 * 86_400_000],
  ['whose token would have been over for as long as clocks may differ', 360_000],
])('a request %s makes no token, and the one that the PC has stays good', async (_which, agoMs) => {
  const world = newWorld();
  await issue(world, 1);

  await issue(world, 2, { askedAtMs: world.nowMs - agoMs });

  expect([...world.otts.values()].map(({ state }) => state)).toEqual(['issued']);
  expect(eventsOf(world)).toEqual(['ott.issued']);
});

test('a request that waited on the log makes a token, and one that has made one says so however late it is redelivered', async () => {
  const world = newWorld();

  await issue(world, 1, { askedAtMs: world.nowMs - 359_999 });
  await issue(world, 1, { askedAtMs: world.nowMs - 3_600_000 });

  expect(eventsOf(world)).toEqual(['ott.issued', 'ott.issued']);
});
