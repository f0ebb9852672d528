import { consumeOtt } from '../../../../services/ott/usecases/consume-ott.ts';
import { giveBackOtt } from '../../../../services/ott/usecases/give-back-ott.ts';
import { issue, newWorld, orderOf, present, theOtt } from './ott-world.ts';
import type { OttWorld } from './ott-world.ts';

const eventsOf = ({ published }: OttWorld) => published.map(([name]) => name);
const reasonOf = ({ published }: OttWorld) => published.at(-1)?.[1]['reason'];
const consume = (world: OttWorld, pending = false) =>
  consumeOtt(world.ports)({ order: orderOf(world), pending, remainingSec: null });
type RefusalReason = 'insufficient_balance' | 'too_late' | 'partner_unavailable';
const giveBack = (world: OttWorld, reason: RefusalReason = 'partner_unavailable', order = orderOf(world)) =>
  giveBackOtt(world.ports)({ order, reason });

describe('a token is issued', () => {
  test('a redelivered request publishes the same token again', async () => {
    const world = newWorld();

    await issue(world, 1);
    await issue(world, 1);

    expect(world.otts.size).toBe(1);
    expect(world.published[1]).toEqual(world.published[0]);
  });

  test('a request whose handling was cut short after the token was stored publishes it when it is redelivered, and what it voided', async () => {
    const world = newWorld();
    await issue(world, 1);
    const broken = { ...world.ports, publish: () => Promise.reject(new Error('the process dies')) };

    await expect(issue({ ...world, ports: broken }, 2)).rejects.toThrow('dies');
    await issue(world, 2);

    expect([...world.otts.values()].map(({ state }) => state)).toEqual(['voided', 'issued']);
    expect(eventsOf(world)).toEqual(['ott.issued', 'ott.voided', 'ott.issued']);
  });

  test('a redelivered request says of no token that it is void which is not', async () => {
    const world = newWorld();
    await issue(world, 1);
    const earlier = theOtt(world);
    await issue(world, 2);
    world.otts.set(earlier.tokenHash, { ...earlier, state: 'consumed', version: 9 });

    await issue(world, 2);

    expect(eventsOf(world)).toEqual(['ott.issued', 'ott.voided', 'ott.issued', 'ott.issued']);
  });

  test('an earlier request that is redelivered after a newer one voids nothing', async () => {
    const world = newWorld();
    await issue(world, 1);
    await issue(world, 2);

    await issue(world, 1);
    await issue(world, 2);

    expect([...world.otts.values()].map(({ state }) => state)).toEqual(['voided', 'issued']);
  });

  test('a token that is claimed when a newer one is issued is not voided; given back, it can be presented again (D-03)', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);
    const order = orderOf(world);

    await issue(world, 2);
    await giveBack(world, 'partner_unavailable', order);

    expect([...world.otts.values()].map(({ state }) => state)).toEqual(['issued', 'issued']);
  });

  test('a gateway of an older version receives a token that ott made, encrypted for it (D-18)', async () => {
    const world = newWorld();

    await issue(world, 1, { tokenHash: null });
    await issue(world, 1, { tokenHash: null });

    expect(world.published[0]?.[1]['sealedToken']).toMatch(/ for AAAA$/);
    expect(world.published[1]).toEqual(world.published[0]);
  });

  test('a newer request of the PC for the game voids the earlier token, one for another game does not', async () => {
    const world = newWorld();
    await issue(world, 1);

    await issue(world, 2, { gameId: 'moonrise' });
    await issue(world, 3);

    expect([...world.otts.values()].map(({ state }) => state)).toEqual(['voided', 'issued', 'issued']);
  });
});

describe('a token is presented', () => {
  test('the first presentation claims it, the second is refused as OTT_ALREADY_USED (I1)', async () => {
    const world = newWorld();
    await issue(world, 1);

    await present(world, 10);
    await present(world, 11);

    expect(eventsOf(world)).toEqual(['ott.issued', 'ott.accepted', 'ott.refused']);
    expect(reasonOf(world)).toBe('OTT_ALREADY_USED');
  });

  test('a presentation that was refused while another held the token is refused at each delivery, also when that claim was given back (D-03)', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);
    await present(world, 11);
    await giveBack(world, 'insufficient_balance');

    await present(world, 11);

    expect(eventsOf(world).slice(2)).toEqual(['ott.refused', 'ott.given-back', 'ott.refused']);
    expect(reasonOf(world)).toBe('OTT_ALREADY_USED');
    expect(theOtt(world).state).toBe('issued');

    await present(world, 11, { eventId: 'event-repeated' });
    expect(theOtt(world).state).toBe('claimed');
  });

  test('one that repeated the claim claims nothing when it is delivered again after that was given back (D-03, D-15)', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);
    await present(world, 10, { eventId: 'event-repeated' });
    await giveBack(world, 'partner_unavailable');

    await present(world, 10, { eventId: 'event-repeated' });

    expect(theOtt(world).state).toBe('issued');
    expect(reasonOf(world)).toBe('OTT_ALREADY_USED');
  });

  test('of a token that is spent nobody remembers who was refused', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);
    await consume(world, false);

    await present(world, 11);

    expect(reasonOf(world)).toBe('OTT_ALREADY_USED');
    expect(world.answered.size).toBe(0);
  });

  test('a redelivered presentation is accepted again, with the deadline of its first delivery', async () => {
    const world = newWorld();
    await issue(world, 1);

    await present(world, 10, { deadlineMs: world.nowMs + 5_000 });
    await present(world, 10, { deadlineMs: world.nowMs + 9_000 });

    expect(eventsOf(world)).toEqual(['ott.issued', 'ott.accepted', 'ott.accepted']);
    expect(world.published[2]).toEqual(world.published[1]);
  });

  test('a cafe past its cap of unbilled play: the stored claim says refuse, as the published one does (D-26)', async () => {
    const world = newWorld();
    await issue(world, 1);
    world.unbilledSec = 100;

    await present(world, 10);

    expect(theOtt(world).claim?.outagePolicy).toBe('refuse');
    expect(world.published.at(-1)?.[1]).toEqual({ ott: theOtt(world), overdue: false });
  });

  test('what this process has accepted is not accepted again, though the store has lost it (D-24)', async () => {
    const world = newWorld();
    await issue(world, 1);
    const issued = theOtt(world);
    await present(world, 10);
    world.otts.set(issued.tokenHash, issued);

    await present(world, 11);

    expect(reasonOf(world)).toBe('OTT_ALREADY_USED');
  });
});

describe('billing answers a claim', () => {
  test('it started: the token is consumed, and stays so; a redelivery publishes it again, for the first may have failed to', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);

    await consume(world);
    await consume(world);
    await giveBack(world);

    expect(theOtt(world).state).toBe('consumed');
    expect(eventsOf(world)).toEqual(['ott.issued', 'ott.accepted', 'ott.consumed', 'ott.consumed']);
    expect(world.published[3]).toEqual(world.published[2]);
  });

  test('it started pending: its play counts as unbilled until the partner confirms (D-26)', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);

    await consume(world, true);

    expect(world.unbilledOf).toEqual([orderOf(world).gameSessionId]);
  });

  test.each([
    [
      'the partner did not answer: the game session that will not be is named, to be stopped',
      'partner_unavailable',
    ],
    ['the balance is used up: there is nothing to stop', 'insufficient_balance'],
  ] as const)('%s', async (_, reason) => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);
    const { gameSessionId } = orderOf(world);

    await giveBack(world, reason);

    expect(theOtt(world)).toMatchObject({ state: 'issued', claim: null });
    expect(world.published.at(-1)).toMatchObject([
      'ott.given-back',
      { gameSessionId: reason === 'insufficient_balance' ? null : gameSessionId },
    ]);
  });

  test('after it was given back, the answered presentation does nothing and another one becomes another game session (D-03)', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10, { deadlineMs: world.nowMs + 5_000 });
    const first = orderOf(world);
    await giveBack(world);

    await present(world, 10, { deadlineMs: world.nowMs + 5_000 });
    expect(eventsOf(world).at(-1)).toBe('ott.given-back');

    await present(world, 11, { deadlineMs: world.nowMs + 6_000 });
    expect(eventsOf(world).at(-1)).toBe('ott.accepted');
    expect(orderOf(world).gameSessionId).not.toBe(first.gameSessionId);
  });

  test('a redelivered refusal is published again, so that the billing is stopped for certain', async () => {
    const world = newWorld();
    await issue(world, 1);
    await present(world, 10);
    const order = orderOf(world);

    await giveBack(world, 'too_late', order);
    await giveBack(world, 'too_late', order);

    expect(eventsOf(world).slice(-2)).toEqual(['ott.given-back', 'ott.given-back']);
  });
});
