import type { EventData } from '#libs/contracts/events.ts';
import { retryBilling } from '../../../../services/billing-adapter/usecases/retry-billing.ts';
import { stopBilling } from '../../../../services/billing-adapter/usecases/stop-billing.ts';
import { delivery } from '../../../support/delivery.ts';
import { adapter, endOnce, session } from './stops-harness.ts';

test('a stop gives way in the first minute after it was published, and not longer (D-61)', async () => {
  const { world, end } = adapter('stopped', 'stopped');
  world.nowMs = 59_000;
  await end();
  world.nowMs = 60_000;
  await end({ again: true });
  expect([world.stops, world.gaveWay]).toEqual([2, 1]);
});

describe('a session has one stop in hand, however often its end is published (D-06, D-27)', () => {
  test('while its retries are on the log, a reminder calls nobody', async () => {
    const { world, end } = adapter('unknown');

    for (const [reminders, nowMs] of [0, 10_000, 30_000, 70_000].entries()) {
      world.nowMs = nowMs;
      await end({ reminders, atMs: nowMs });
    }

    expect(world.stops).toBe(1);
  });

  test('when the partner has confirmed, a reminder only publishes that again', async () => {
    const { world, end, eventsOf } = adapter('stopped');

    await end();
    await end();

    expect(world.stops).toBe(1);
    expect(eventsOf()).toEqual(['billing.stopped', 'billing.stopped']);
  });

  test.each([
    ['before', 9_999, ['billing.stopped']],
    ['after', 10_000, ['billing.stopped', 'billing.stopped']],
  ])(
    'a reminder that was published %s the confirmation, and waited on the log behind its own stop (D-60)',
    async (_, atMs, said) => {
      const { world, end, eventsOf } = adapter('stopped');
      world.nowMs = 10_000;
      await end();

      await end({ reminders: 1, atMs });

      expect(world.stops).toBe(1);
      expect(eventsOf()).toEqual(said);
    },
  );

  test('a reminder whose confirmation could not be written says it when it is delivered again', async () => {
    const { world, end, eventsOf } = adapter('stopped');
    world.nowMs = 10_000;
    world.logIsAway = true;
    await expect(end({ reminders: 1 })).rejects.toThrow('the log is away');

    world.logIsAway = false;
    await end({ reminders: 1 });

    expect(eventsOf()).toEqual(['billing.stopped']);
  });

  test('a retry that was confirmed ends it, for reminders too', async () => {
    const { world, ports, end, retryOf, eventsOf } = adapter('unknown', 'stopped');

    await end();
    await retryBilling(ports)(retryOf() as EventData<'billing-retry.scheduled'>);
    await end();

    expect(world.stops).toBe(2);
    expect(eventsOf()).toEqual(['billing-retry.scheduled', 'billing.stopped', 'billing.stopped']);
  });

  test('an end that could not be carried to the log is not in hand: its redelivery stops again', async () => {
    const { world, end, eventsOf } = adapter('unknown', 'stopped');
    world.logIsAway = true;
    await expect(end()).rejects.toThrow('the log is away');

    world.logIsAway = false;
    await end();

    expect(eventsOf()).toEqual(['billing.stopped']);
  });

  test('retries that were lost do not keep it in hand for ever: a reminder of a quarter of an hour later stops again', async () => {
    const { world, end } = adapter('unknown', 'stopped');

    await end();
    world.nowMs = 900_001;
    await end();

    expect(world.stops).toBe(2);
  });
});

describe('billing that has started again since its stop is stopped again (D-60)', () => {
  test('although a stop was confirmed before', async () => {
    const { world, end, eventsOf } = adapter('stopped', 'stopped');

    await end();
    await end({ again: true });

    expect(world.stops).toBe(2);
    expect(eventsOf()).toEqual(['billing.stopped', 'billing.stopped']);
  });

  test('although the retries of an earlier stop are in hand; its own retry is made although another was confirmed', async () => {
    const { world, ports, end, retryOf } = adapter('unknown', 'unknown', 'stopped', 'stopped');
    await end();
    const retryOfFirst = retryOf() as EventData<'billing-retry.scheduled'>;

    world.nowMs = 1_000;
    await end({ again: true });
    const retryOfSecond = retryOf() as EventData<'billing-retry.scheduled'>;
    await retryBilling(ports)(retryOfFirst);
    await retryBilling(ports)(retryOfSecond);

    expect(world.stops).toBe(4);
  });

  test('although the retries of one that was made again are in hand: another process may have had their outcome', async () => {
    const { world, end, eventsOf } = adapter('unknown', 'stopped');

    await end({ again: true });
    await end({ again: true });

    expect(world.stops).toBe(2);
    expect(eventsOf()).toEqual(['billing-retry.scheduled', 'billing.stopped']);
  });

  test.each([
    ['that were confirmed', 0, undefined],
    ['that were confirmed to this process, though the session does not have them yet', null, 0],
  ])('with the seconds %s', async (_, partnerPlayDurationSec, confirmedSec) => {
    const { ports } = adapter();
    const told: unknown[] = [];
    const stop = async (order: { playDurationSec: number }) => {
      told.push(order.playDurationSec);
      return { outcome: 'stopped', playDurationSec: order.playDurationSec } as const;
    };
    if (confirmedSec !== undefined) ports.stops.confirm('gs_1', confirmedSec);

    await stopBilling({ ...ports, partner: { ...ports.partner, stop } })(
      { session: { ...session, partnerPlayDurationSec }, again: true },
      delivery(),
      () => undefined,
    );

    expect(told).toEqual([0]);
  });

  test.each(['before it', 'while it was made'])(
    'with the seconds that were confirmed %s, by whoever makes the retry of a stop that was not answered',
    async (when) => {
      const { ports, retryOf } = adapter();
      const confirm = () => ports.stops.confirm('gs_1', 0);
      const stop = async () => {
        if (when === 'while it was made') confirm();
        return { outcome: 'unknown', reason: 'slow', isOutage: true } as const;
      };
      if (when === 'before it') confirm();

      await endOnce({ ...ports, partner: { ...ports.partner, stop } }, { again: true });

      expect(retryOf()).toMatchObject({ call: { operation: 'stop', order: { playDurationSec: 0 } } });
    },
  );
});
