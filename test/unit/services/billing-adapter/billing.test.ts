import type { ReceivedEvent } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { activeRetries } from '../../../../services/billing-adapter/adapters/active-retries.ts';
import { recentStops } from '../../../../services/billing-adapter/adapters/recent-stops.ts';
import { parseStart } from '../../../../services/billing-adapter/adapters/parse-partner-response.ts';
import type { Partner, Ports, StopOrder } from '../../../../services/billing-adapter/ports.ts';
import { billSession } from '../../../../services/billing-adapter/usecases/bill-session.ts';
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
    clock: () => 0,
    random: () => 0,
    retryTurn: async () => undefined,
    retries: activeRetries(() => 50_000),
    stops: recentStops(() => 50_000),
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

  await stopUntilConfirmed(ports)(order, { attempt: 9 });

  expect(ledger.get('gs_1')).toBe('stopped');
  expect(published).toEqual([['billing.stopped', { gameSessionId: 'gs_1', partnerPlayDurationSec: 60 }]]);
});

test('where nothing was played, a billing that the partner does not know for long is no billing', async () => {
  const { ports, published } = surroundings({});
  const nothing = { ...order, played: null, playDurationSec: 0 };

  await stopUntilConfirmed(ports)(nothing);
  await stopUntilConfirmed(ports)(nothing, { attempt: 5 });

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

const exhausted = {
  ...{ gameSessionId: 'gs_1', state: 'charge_exhausted', playDurationSec: 60, lastSeenAtMs: 60_000 },
  ...played,
} as EventData<'game-session.unbilled'>['session'];

test('a heartbeat starts no billing that the partner does not know, because its stop may have been before it (D-60)', async () => {
  const { ports, published, ledger } = surroundings({ renew: async () => ({ outcome: 'none' }) });

  const heartbeat = { name: 'game-session.heartbeat', data: { session: exhausted }, meta: delivery() };
  await renewBillings(ports).together([heartbeat as ReceivedEvent<'game-session.heartbeat'>]);

  expect(ledger.size).toBe(0);
  expect(published).toEqual([['billing.unknown', { gameSessionId: 'gs_1' }]]);
});

test('no billing is started of which the stop is known to have been confirmed (D-60)', async () => {
  const { ports, published, ledger } = surroundings({ start: async () => ({ outcome: 'refused' }) });
  await stopUntilConfirmed(ports)(order);

  const { partner } = surroundings({}).ports;
  await billSession({ ...ports, partner })({ session: exhausted }, delivery());

  expect(ledger.size).toBe(0);
  expect(published.map(([name]) => name)).toEqual(['billing.stopped']);
});

test('play on credit that was refused is started under the same id at the first heartbeat after a top-up (D-08, D-12)', async () => {
  const { ports, published, ledger } = surroundings({});

  await billSession(ports)({ session: exhausted }, delivery());

  expect(ledger.get('gs_1')).toBe('started');
  expect(published).toEqual([
    ['billing.renewed', { gameSessionId: 'gs_1', remainingSec: 1, recharges: true }],
  ]);
});
