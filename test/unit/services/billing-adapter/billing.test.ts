import type { ReceivedEvent } from '#libs/contracts/delivery.ts';
import { activeRetries } from '../../../../services/billing-adapter/adapters/active-retries.ts';
import { recentStops } from '../../../../services/billing-adapter/adapters/recent-stops.ts';
import { parseStart } from '../../../../services/billing-adapter/adapters/parse-partner-response.ts';
import type { Partner, Ports, StopOrder } from '../../../../services/billing-adapter/ports.ts';
import { retryBilling } from '../../../../services/billing-adapter/usecases/retry-billing.ts';
import { renewBillings } from '../../../../services/billing-adapter/usecases/renew-billing.ts';
import { stopUntilConfirmed } from '../../../../services/billing-adapter/usecases/support/stop-until-confirmed.ts';
import { delivery } from '../../../support/delivery.ts';

const played = { cafeId: 'cafe-1', pcId: 'pc_1', gameId: 'starfall', providerUserId: 'u1', startedAtMs: 0 };
const order: StopOrder = {
  ...{ gameSessionId: 'gs_1', playDurationSec: 60, stoppedAtMs: 60_000, reason: 'game_ended', played },
};

/** A use case's surroundings: what was said, and a partner whose books begin empty. */
const surroundings = (partner: Partial<Partner>) => {
  const published: [string, unknown][] = [];
  const ledger = new Map<string, 'started' | 'stopped'>();
  const ports = {
    together: (call: () => unknown) => call(),
    giveWay: async () => undefined,
    clock: () => 0,
    random: () => 0,
    retryTurn: async () => undefined,
    retries: activeRetries(() => 50_000),
    stops: recentStops(() => 50_000),
    renewedUnsaid: () => undefined,
    publish: async (name: string, data: unknown) => void published.push([name, data]),
    publishAll: async (name: string, events: readonly { data: unknown }[]) => {
      for (const { data } of events) published.push([name, data]);
    },
    partner: {
      start: async ({ gameSessionId }: { gameSessionId: string }) => {
        ledger.set(gameSessionId, 'started');
        return { outcome: 'started', remainingSec: 1 };
      },
      stop: async ({ gameSessionId, playDurationSec }: StopOrder) => {
        if (!ledger.has(gameSessionId)) return { outcome: 'none' };
        ledger.set(gameSessionId, 'stopped');
        return { outcome: 'stopped', playDurationSec };
      },
      ...partner,
    },
  } as unknown as Ports;
  return { ports, published, ledger };
};

test('a stop that finds no billing makes the pending start first: what was played is billed, and nothing runs for ever (I3)', async () => {
  const { ports, published, ledger } = surroundings({});

  await stopUntilConfirmed(ports)(order, { earlier: { attempt: 9 } });

  expect(ledger.get('gs_1')).toBe('stopped');
  expect(published).toEqual([['billing.stopped', { gameSessionId: 'gs_1', partnerPlayDurationSec: 60 }]]);
});

test('where nothing was played, a billing that the partner does not know for long is no billing', async () => {
  const { ports, published } = surroundings({});
  const nothing = { ...order, played: null, playDurationSec: 0 };

  await stopUntilConfirmed(ports)(nothing);
  await stopUntilConfirmed(ports)(nothing, { earlier: { attempt: 5 } });

  expect(published.map(([name]) => name)).toEqual(['billing-retry.scheduled', 'billing.stopped']);
});

const away = { outcome: 'unknown', reason: 'away', isOutage: true } as const;
const tryOf = (attempt: number, firstFailedAtMs = 1_000) => ({
  ...{ gameSessionId: 'gs_1', attempt, dueAtMs: 0, firstFailedAtMs },
  call: { operation: 'stop' as const, order },
});

test('a try that is redelivered after its successor was scheduled does not fork the chain of retries', async () => {
  const { ports, published } = surroundings({ stop: async () => away });
  const retry = retryBilling(ports);

  for (const attempt of [1, 1, 2, 1, 2, 3]) await retry(tryOf(attempt));

  expect(published.map(([, data]) => (data as { attempt: number }).attempt)).toEqual([2, 3, 4]);
});

test('a try whose successor could not be scheduled is made again when it is redelivered', async () => {
  const { ports, published } = surroundings({ stop: async () => away });
  const failing = { ...ports, publish: () => Promise.reject(new Error('the log is away')) } as Ports;

  await expect(retryBilling(failing)(tryOf(1))).rejects.toThrow('the log is away');
  await retryBilling(ports)(tryOf(1));

  expect(published).toHaveLength(1);
});

test('a stop that the partner has confirmed is not made again by a try that is redelivered', async () => {
  const { ports, published } = surroundings({});
  const retry = retryBilling(ports);

  for (const attempt of [3, 3, 2]) await retry(tryOf(attempt));

  expect(published.map(([name]) => name)).toEqual(['billing.stopped']);
});

test('a call that fails again after its outcome begins a new chain of retries', () => {
  const retries = activeRetries(() => 50_000);
  const start = { operation: 'start' as const, gameSessionId: 'gs_1' };

  retries.done({ ...start, firstFailedAtMs: 1_000, attempt: 1 });

  expect(retries.goesOn({ ...start, firstFailedAtMs: 1_000, attempt: 2 })).toBe(false);
  expect(retries.goesOn({ ...start, firstFailedAtMs: 60_000, attempt: 1 })).toBe(true);
});

test('a stop that is made again is retried whatever the clock of its process says, for nothing reminds of it (D-60)', () => {
  const retries = activeRetries(() => 50_000);
  const again = { operation: 'stop' as const, gameSessionId: 'gs_1', again: true };
  retries.done({ ...again, firstFailedAtMs: 1_000, attempt: 1 });

  const byASlowClock = { ...again, firstFailedAtMs: 40_000, attempt: 1 };

  expect(retries.goesOn(byASlowClock)).toBe(true);
});

test.each([
  [400, false],
  [422, false],
  [401, true],
  [403, true],
  [408, true],
  [429, true],
  [500, true],
  [200, true],
])('status %i with nonsense in it counts as trouble of the partner: %s (D-27)', (status, isOutage) => {
  expect(parseStart({ status, json: { code: 'NO' } })).toMatchObject({ outcome: 'unknown', isOutage });
});

test('however often an end is published while the partner is away, one chain of retries goes on for it', async () => {
  const { ports, published } = surroundings({ stop: async () => away });
  const retry = retryBilling(ports);

  for (const firstFailedAtMs of [1_000, 11_000, 21_000, 31_000]) await retry(tryOf(1, firstFailedAtMs));

  expect(published).toHaveLength(1);
  expect(published[0]?.[1]).toMatchObject({ attempt: 2, firstFailedAtMs: 1_000 });
});

const heartbeatOf = (change: { state: string }) => {
  const session = { gameSessionId: 'gs_1', playDurationSec: 60, lastSeenAtMs: 60_000, ...played, ...change };
  const heartbeat = { name: 'game-session.heartbeat', data: { session }, meta: delivery() };
  return heartbeat as ReceivedEvent<'game-session.heartbeat'>;
};

describe('a heartbeat may come after the stop of its session, which is on another topic (D-60)', () => {
  const renew = async () => ({ outcome: 'none' }) as const;

  test('it starts no billing of which a stop is known to have been confirmed', async () => {
    const refusing = { renew, start: async () => ({ outcome: 'refused' }) as const };
    const { ports, published, ledger } = surroundings(refusing);
    await stopUntilConfirmed(ports)(order);

    await renewBillings(ports).together([heartbeatOf({ state: 'active' })]);

    expect(ledger.size).toBe(0);
    expect(published.map(([name]) => name)).toEqual(['billing.stopped']);
  });

  test.each([
    [599_999, 1],
    [600_000, 0],
  ])('one that is %i ms old starts %i billings', async (ageMs, starts) => {
    const { ports, ledger } = surroundings({ renew });

    await renewBillings({ ...ports, clock: () => 60_000 + ageMs }).together([
      heartbeatOf({ state: 'active' }),
    ]);

    expect(ledger.size).toBe(starts);
  });

  test('what it starts is told so that the session is looked at: whose play is over is stopped again', async () => {
    const { ports, published } = surroundings({ renew });

    await renewBillings(ports).together([heartbeatOf({ state: 'active' })]);

    expect(published).toEqual([
      ['billing.unknown', { gameSessionId: 'gs_1' }],
      ['billing.renewed', { gameSessionId: 'gs_1', remainingSec: 1, recharges: true }],
    ]);
  });

  test('so is a start whose outcome is unknown: before it, and when it may have been made', async () => {
    const { ports, published } = surroundings({ renew, start: async () => away });
    const skipped: number[] = [];

    await renewBillings({ ...ports, renewalSkipped: () => skipped.push(1) }).together([
      heartbeatOf({ state: 'active' }),
    ]);

    expect(published.map(([name]) => name)).toEqual(['billing.unknown', 'billing.unknown']);
    expect(skipped).toHaveLength(1);
  });
});

test('play on credit that was refused is started under the same id at the first heartbeat after a top-up (D-08, D-12)', async () => {
  const { ports, published, ledger } = surroundings({ renew: async () => ({ outcome: 'none' }) });

  await renewBillings(ports).together([heartbeatOf({ state: 'charge_exhausted' })]);

  expect(ledger.get('gs_1')).toBe('started');
  expect(published).toEqual([
    ['billing.unknown', { gameSessionId: 'gs_1' }],
    ['billing.renewed', { gameSessionId: 'gs_1', remainingSec: 1, recharges: true }],
  ]);
});
