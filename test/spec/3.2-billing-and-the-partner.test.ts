import { eventually } from '../support/eventually.ts';
import { shortLimits, useOwnStack } from '../support/own-stack.ts';
import { partnerOf } from '../support/partner.ts';
import type { Fault } from '../support/partner.ts';
import { billingOf, gameServerOf, limits, newOtt, newPlayer } from '../support/suite-stack.ts';
import type { StackFacts } from '#simulators/stack-file.ts';

/** What turns the partner's knobs has a partner of its own, and waits for it long enough to hear it on a busy machine too. */
const own = useOwnStack({
  ...shortLimits,
  GRACE_SEC: String(limits.grace),
  HEARTBEAT_BILLING_WAIT_MS: '5000',
});
const cafe = 2;
const plenty = 1_000_000;

const setBalance = (stack: StackFacts, sec: number) => partnerOf(stack).setBalance(cafe, sec);
const setFault = (stack: StackFacts, fault: Fault) => partnerOf(stack).setFault(fault);

afterEach(async () => {
  const stack = own.stack.facts();
  await setBalance(stack, plenty);
  await partnerOf(stack).heal();
});

describe('spec 3.1 OTT states and spec 4.1 reasons: billing is not possible', () => {
  test('issued, verify when billing is not possible → unchanged: NOT_CHARGEABLE does not consume the token: after a top-up it verifies (D-03)', async () => {
    const stack = own.stack.facts();
    await setBalance(stack, 0);
    const { ott } = await newOtt(stack, { cafe });

    expect(await gameServerOf(stack).verify(ott, 'u1')).toMatchObject({
      data: { isValid: false, reason: 'NOT_CHARGEABLE' },
    });
    await setBalance(stack, plenty);
    const again = await eventually(
      () => gameServerOf(stack).verify(ott, 'u1'),
      (h) => h.ok && h.data.isValid,
      2_000,
    );

    expect(again).toMatchObject({ data: { isValid: true } });
  });
});

describe('spec 3.2 game session states and spec 4.2 results: the balance runs out', () => {
  test('active, heartbeat, billing currency depleted → charge exhausted: CHARGE_EXHAUSTED leaves a grace; next_heartbeat_in stays within it; a top-up brings OK back (D-08)', async () => {
    const stack = own.stack.facts();
    const { server, id, user } = await newPlayer(stack, { cafe });
    await setBalance(stack, 0);

    const exhausted = await server.heartbeat(id, user);
    await setBalance(stack, plenty);
    const recharged = await server.heartbeat(id, user);

    expect(exhausted).toMatchObject({ data: { result: 'CHARGE_EXHAUSTED' } });
    expect(exhausted.ok && exhausted.data.nextHeartbeatIn).toBeLessThanOrEqual(
      Math.min(limits.grace, limits.heartbeat),
    );
    expect(recharged).toMatchObject({ data: { result: 'OK' } });
  });

  test('when the grace is over the service ends the session, though heartbeats came', async () => {
    const stack = own.stack.facts();
    const { server, id, user } = await newPlayer(stack, { cafe });
    await setBalance(stack, 0);

    const answer = await eventually(
      () => server.heartbeat(id, user),
      // These tell nothing of the session.
      (h) => !h.ok && ![429, 503].includes(h.status),
      20_000,
    );

    expect(answer).toMatchObject({ status: 410 });
    expect(await server.end(id)).toMatchObject({ status: 409, code: 'ALREADY_ENDED' });
  });

  test('an end in the grace is SUCCESS (D-08)', async () => {
    const stack = own.stack.facts();
    const { server, id, user } = await newPlayer(stack, { cafe });
    await setBalance(stack, 0);
    await server.heartbeat(id, user);

    expect(await server.end(id)).toMatchObject({ data: { result: 'SUCCESS' } });
  });
});

describe('spec 3.2 game session states and spec 7 errors: the partner does not answer (D-06, D-12)', () => {
  test('ending, heartbeat → ending: 410 SESSION_ENDING as long as the partner has not confirmed the stop, 410 SESSION_ENDED after', async () => {
    const stack = own.stack.facts();
    const { server, id, user } = await newPlayer(stack, { cafe });
    await setFault(stack, { operation: 'stop', mode: 'error' });
    await server.end(id);

    expect(await server.heartbeat(id, user)).toMatchObject({ status: 410, code: 'SESSION_ENDING' });
    expect(await server.end(id)).toMatchObject({ status: 409, code: 'ALREADY_ENDED' });
    await setFault(stack, { operation: 'stop', mode: 'none' });

    await eventually(
      () => server.heartbeat(id, user),
      (h) => !h.ok && h.code === 'SESSION_ENDED',
      15_000,
    );
  }, 25_000);

  test('a verify starts the session with billing pending, and billing starts later under the same id with its first time', async () => {
    const stack = own.stack.facts();
    // The third try comes three seconds after the first.
    await setFault(stack, { operation: 'start', mode: 'error', count: 2 });
    const { server, id, user } = await newPlayer(stack, { cafe });
    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });

    const billing = await eventually(
      () => billingOf(stack, id),
      (found) => found !== undefined,
      10_000,
    );

    expect(billing).toMatchObject({ status: 'started', billing_id: id });
  }, 20_000);

  test('a reply that was lost is asked for again with the same id: one billing, one session', async () => {
    const stack = own.stack.facts();
    await setFault(stack, { operation: 'start', mode: 'lost_reply', count: 1 });
    const { server, id } = await newPlayer(stack, { cafe });
    await server.end(id, 0);

    const billing = await eventually(
      () => billingOf(stack, id),
      (found) => found?.status === 'stopped',
      10_000,
    );

    expect(billing).toMatchObject({ status: 'stopped' });
  }, 20_000);

  test('heartbeats answer with the last known state while renewals fail: nobody is thrown out', async () => {
    const stack = own.stack.facts();
    const { server, id, user } = await newPlayer(stack, { cafe });
    await setFault(stack, { operation: 'renew', mode: 'error' });

    expect(await server.heartbeat(id, user)).toMatchObject({ data: { result: 'OK' } });
  });
});
