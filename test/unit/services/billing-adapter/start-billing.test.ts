import { setImmediate } from 'node:timers/promises';
import type { EventData } from '#libs/contracts/events.ts';
import { specLimits as limits } from '#libs/kernel/limits.ts';
import { checkCafe } from '../../../../services/billing-adapter/usecases/check-cafe.ts';
import { recentRefusals } from '../../../../services/billing-adapter/adapters/recent-refusals.ts';
import type { Ports } from '../../../../services/billing-adapter/ports.ts';
import { retryBilling } from '../../../../services/billing-adapter/usecases/retry-billing.ts';
import { startBilling } from '../../../../services/billing-adapter/usecases/start-billing.ts';
import { delivery } from '../../../support/delivery.ts';
import { issue, newWorld, present, theOtt } from '../ott/ott-world.ts';

const skewMs = 300_000;

/** A token's acceptance, as ott publishes it for a verify that waits five seconds. */
const acceptance = async (overdue = false): Promise<EventData<'ott.accepted'>> => {
  const world = newWorld();
  await issue(world, 1);
  await present(world, 10, { deadlineMs: world.nowMs + 5_000 });
  return { ott: theOtt(world), overdue };
};

/** billing-adapter with a clock of its own, and a partner that starts whatever it is asked to. */
const adapter = (nowMs: number) => {
  const [published, asked, turns]: [[string, unknown][], string[], number[]] = [[], [], []];
  const ports = {
    together: (call: () => unknown) => call(),
    giveWay: async () => undefined,
    clock: () => nowMs,
    random: () => 0,
    refusals: recentRefusals(),
    publish: async (name: string, data: unknown) => void published.push([name, data]),
    retries: { goesOn: () => true, scheduled: () => undefined, done: () => undefined },
    retryTurn: async (_: string, { dueAtMs }: { dueAtMs: number }) => void turns.push(dueAtMs - nowMs),
    partner: {
      cafeOf: async (ip: string) => (asked.push(ip), { outcome: 'none' }),
      start: async () => (asked.push('start'), { outcome: 'started', remainingSec: 1 }),
    },
  } as unknown as Ports;
  return { ports, published, asked, turns };
};
const claimedAtMs = ({ ott }: EventData<'ott.accepted'>) => ott.claim!.claimedAtMs;

describe('an acceptance whose clock is not ours (D-35)', () => {
  test.each([
    ['five minutes fast', skewMs],
    ['right', 0],
    ['five minutes slow', -skewMs],
  ])('our clock is %s: a fresh claim starts billing', async (_, offMs) => {
    const accepted = await acceptance();
    const { ports, published } = adapter(claimedAtMs(accepted) + offMs + 100);

    await startBilling(ports)(
      accepted,
      delivery({ requestId: 'r', deadlineMs: claimedAtMs(accepted) + 5_000 }),
    );

    expect(published.map(([name]) => name)).toEqual(['billing.started']);
  });

  test('an order that is certainly older than five minutes is refused without asking the partner (D-15)', async () => {
    const accepted = await acceptance();
    const { ports, published, asked } = adapter(claimedAtMs(accepted) + 300_000 + skewMs);

    await startBilling(ports)(accepted, delivery());

    expect(published).toMatchObject([['billing.refused', { reason: 'too_late' }]]);
    expect(asked).toEqual([]);
  });

  test('a cafe check of a gateway whose clock is five minutes slow is answered', async () => {
    const { ports, asked } = adapter(1_700_000_000_000);
    const request = { requestId: 'r', deadlineMs: 1_700_000_000_000 - skewMs + 4_000 };

    await checkCafe(ports)({ checkId: 'c', ip: '203.0.113.10' }, delivery(request));

    expect(asked).toEqual(['203.0.113.10']);
  });

  test('a try that a process with a fast clock scheduled waits no longer than its pause', async () => {
    const { ports, turns } = adapter(1_700_000_000_000);
    const accepted = await acceptance();
    const { gameSessionId } = accepted.ott.claim!;
    const order = { ...accepted.ott, ...accepted.ott.claim!, startedAtMs: 0 };

    await retryBilling(ports)({
      ...{ gameSessionId, attempt: 1, firstFailedAtMs: 0, dueAtMs: 1_700_000_000_000 + skewMs },
      call: { operation: 'start', order },
    });

    expect(turns).toEqual([1_100]);
  });
});

test('an overdue claim is refused, though it is fresh by our clock: what was started for it is stopped by its give-back (D-34)', async () => {
  const accepted = await acceptance(true);
  const { ports, published, asked } = adapter(claimedAtMs(accepted) + limits.ottTtlSec);

  await startBilling(ports)(accepted, delivery());

  expect(published).toMatchObject([['billing.refused', { reason: 'too_late' }]]);
  expect(asked).toEqual([]);
});

test('the outcome of a start is published when others of its moment have theirs, whatever it is (D-56)', async () => {
  const accepted = await acceptance();
  const { ports, published } = adapter(claimedAtMs(accepted));
  const others = Promise.withResolvers<undefined>();
  const together: Ports['together'] = async (call) => {
    const result = await call();
    await others.promise;
    return result;
  };
  const outcomes = [
    { outcome: 'unknown' as const, reason: 'slow', isOutage: true },
    { outcome: 'started' as const, remainingSec: 1 },
    { outcome: 'refused' as const },
  ];

  const ended = Promise.all(
    outcomes.map((outcome) => {
      const partner = { ...ports.partner, start: async () => outcome };
      return startBilling({ ...ports, together, partner })(accepted, delivery());
    }),
  );
  await setImmediate();
  expect(published).toEqual([]);

  others.resolve(undefined);
  await ended;
  const names = published.map(([name]) => name).toSorted();
  expect(names).toEqual(['billing-retry.scheduled', 'billing.refused', 'billing.started', 'billing.started']);
});
