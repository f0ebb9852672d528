import { giveBackOtt } from '../../../../services/ott/usecases/give-back-ott.ts';
import { handleDeadline } from '../../../../services/ott/usecases/handle-deadline.ts';
import { issue, newWorld, orderOf, present, theOtt } from './ott-world.ts';
import type { OttWorld } from './ott-world.ts';

const eventsOf = ({ published }: OttWorld) => published.map(([name]) => name);
const sweep = (world: OttWorld) => handleDeadline(world.ports)(theOtt(world).tokenHash);
const longTtl = (world: OttWorld, ottTtlSec: number): OttWorld => ({
  ...world,
  ports: { ...world.ports, limits: { ...world.ports.limits, ottTtlSec } },
});

test('nobody presents it: it expires, stays as long as its request may come again, and is forgotten an hour after it was issued, for an unknown one is answered the same (D-04, D-57)', async () => {
  const world = newWorld();
  await issue(world, 1);
  world.nowMs += 60_000;
  await sweep(world);
  expect(eventsOf(world).at(-1)).toBe('ott.issued');

  world.nowMs += 1;
  await sweep(world);
  expect(eventsOf(world).at(-1)).toBe('ott.expired');

  world.nowMs += 1_200_000;
  await sweep(world);
  await issue(world, 1);
  expect(theOtt(world).state).toBe('expired');

  world.nowMs += 2_340_000;
  await sweep(world);
  expect(world.otts.size).toBe(0);
});

test('a token that lives longer than an hour is kept for twice its life', async () => {
  const world = newWorld();
  const slow = longTtl(world, 7_200);
  await issue(slow, 1);

  world.nowMs += 7_200_001;
  await sweep(slow);
  expect(theOtt(world).state).toBe('expired');

  world.nowMs += 7_199_998;
  await handleDeadline(slow.ports)(theOtt(world).tokenHash);
  expect(world.otts.size).toBe(1);
});

test.each(['expired', 'voided'])(
  'a token whose claim was given back is kept for a day though it is %s, so that its billing is stopped again when the refusal is redelivered (D-03, D-34)',
  async (state) => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);
    const [order, { tokenHash }] = [orderOf(world), theOtt(world)];
    const refused = () => giveBackOtt(world.ports)({ order, reason: 'partner_unavailable' });
    await refused();
    if (state === 'voided') await issue(world, 2);
    world.nowMs += 60_001;
    await handleDeadline(world.ports)(tokenHash);
    expect(world.otts.get(tokenHash)?.state).toBe(state);

    world.nowMs += 86_339_998;
    await handleDeadline(world.ports)(tokenHash);
    await refused();

    const told = { gameSessionId: order.gameSessionId, startedAtMs: order.startedAtMs };
    expect(world.published.at(-1)).toEqual(['ott.given-back', { ott: world.otts.get(tokenHash), ...told }]);
  },
);
