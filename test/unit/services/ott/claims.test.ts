import { afterDeadline, advance } from '../../../../services/ott/core/ott.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { consumeOtt } from '../../../../services/ott/usecases/consume-ott.ts';
import { giveBackOtt } from '../../../../services/ott/usecases/give-back-ott.ts';
import { handleDeadline } from '../../../../services/ott/usecases/handle-deadline.ts';
import { issue, newWorld, orderOf, present, theOtt } from './ott-world.ts';
import type { OttWorld } from './ott-world.ts';

const claimed = async (): Promise<OttWorld> => {
  const world = newWorld();
  await issue(world, 1);
  await present(world, 10);
  return world;
};
const sweep = (world: OttWorld) => handleDeadline(world.ports)(theOtt(world).tokenHash);
const overdueOf = ({ published }: OttWorld) =>
  published.filter(([name]) => name === 'ott.accepted').map(([, data]) => data['overdue']);

describe('a claim whose acceptance or start of billing was lost (D-34)', () => {
  test('is called off after 15 s: billing-adapter receives the claim once more, as overdue', async () => {
    const world = await claimed();

    world.nowMs += 14_999;
    await sweep(world);
    expect(overdueOf(world)).toEqual([false]);

    world.nowMs += 1;
    await sweep(world);
    expect(overdueOf(world)).toEqual([false, true]);
    expect(theOtt(world)).toMatchObject({
      state: 'claimed',
      claim: { presentationId: orderOf(world).presentationId },
    });
  });

  test('is called off again while nothing answers, after pauses that double up to five minutes', async () => {
    const world = await claimed();
    const startedAtMs = world.nowMs;
    const saidAfterSec: number[] = [];

    while (saidAfterSec.length < 8) {
      world.nowMs = theOtt(world).deadlineAtMs;
      await sweep(world);
      saidAfterSec.push((world.nowMs - startedAtMs) / 1000);
    }

    expect(saidAfterSec).toEqual([15, 30, 60, 120, 240, 480, 780, 1080]);
  });

  test('is given back when billing-adapter refuses it: the token is free again, and the billing is named, to be stopped', async () => {
    const world = await claimed();
    const order = orderOf(world);
    world.nowMs += 15_000;
    await sweep(world);

    await giveBackOtt(world.ports)({ order, reason: 'too_late' });
    await present(world, 11);

    expect(world.published.at(-2)).toMatchObject([
      'ott.given-back',
      { gameSessionId: order.gameSessionId, startedAtMs: order.startedAtMs },
    ]);
    expect(theOtt(world)).toMatchObject({
      state: 'claimed',
      claim: { presentationId: orderOf(world).presentationId },
    });
    expect(orderOf(world).gameSessionId).not.toBe(order.gameSessionId);
  });

  test('stays consumed when the start of billing was only late, though a refusal follows it', async () => {
    const world = await claimed();
    const order = orderOf(world);
    world.nowMs += 15_000;
    await sweep(world);

    await consumeOtt(world.ports)({ order, pending: false, remainingSec: 1 });
    await giveBackOtt(world.ports)({ order, reason: 'too_late' });

    expect(theOtt(world).state).toBe('consumed');
    expect(world.published.at(-1)?.[0]).toBe('ott.consumed');
  });

  test('is not consumed by a late start of another session, whose claim was given back (I1, D-34)', async () => {
    const world = await claimed();
    const order = { ...orderOf(world), gameSessionId: '00000000-0000-4000-8000-000000000000' };

    await consumeOtt(world.ports)({ order, pending: false, remainingSec: 1 });

    expect(theOtt(world).state).toBe('claimed');
  });

  test('is forgotten like any other token a day after it was issued (D-04)', async () => {
    const world = await claimed();
    const forgottenAtMs = theOtt(world).issuedAtMs + limits.ottMemorySec * 1000;

    expect(afterDeadline(theOtt(world), forgottenAtMs, limits)).toBe('forget');
    expect(advance(theOtt(world), 'remind', limits, theOtt(world).claim)?.state).toBe('claimed');
  });
});

describe('clocks that differ by five minutes (D-35)', () => {
  test('a claim of a verify with a fast clock was given back: the next verify, with a right clock, still claims the token', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10, { deadlineMs: world.nowMs + 305_000 });
    await giveBackOtt(world.ports)({ order: orderOf(world), reason: 'partner_unavailable' });

    await present(world, 11, { deadlineMs: world.nowMs + 5_000 });

    expect(world.published.at(-1)?.[0]).toBe('ott.accepted');
  });

  test('a redelivery of the verify that was answered claims nothing, and one that is repeated with its key does', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10, { deadlineMs: world.nowMs + 5_000 });
    await giveBackOtt(world.ports)({ order: orderOf(world), reason: 'partner_unavailable' });

    await present(world, 10, { deadlineMs: world.nowMs + 5_000 });
    expect(world.published.at(-1)?.[0]).toBe('ott.given-back');

    await present(world, 10, { deadlineMs: world.nowMs - 295_000, eventId: 'event-repeated' });
    expect(world.published.at(-1)?.[0]).toBe('ott.accepted');
  });
});

test('a verify that is repeated with its Idempotency-Key after five minutes is refused: its session may have ended (D-15, I6)', async () => {
  const world = await claimed();
  await consumeOtt(world.ports)({ order: orderOf(world), pending: false, remainingSec: 1 });

  world.nowMs += 300_000;
  await present(world, 10, { eventId: 'event-repeated' });

  expect(world.published.at(-1)).toMatchObject(['ott.refused', { reason: 'OTT_ALREADY_USED' }]);
});
