import type { EventData } from '#libs/contracts/events.ts';
import { activeRetries } from '../../../../services/billing-adapter/adapters/active-retries.ts';
import { recentStops } from '../../../../services/billing-adapter/adapters/recent-stops.ts';
import type { Ports } from '../../../../services/billing-adapter/ports.ts';
import { stopBilling } from '../../../../services/billing-adapter/usecases/stop-billing.ts';
import { delivery } from '../../../support/delivery.ts';

const seat = { cafeId: 'cafe-1', pcId: 'pc_1', gameId: 'starfall', providerUserId: 'u1', startedAtMs: 0 };
export const session = {
  ...{ gameSessionId: 'gs_1', playDurationSec: 60, endedAtMs: 60_000, endReason: 'game_ended' },
  ...{ lastSeenAtMs: 60_000, ...seat },
} as EventData<'game-session.ending'>['session'];

interface How {
  readonly again?: boolean;
  readonly reminders?: number;
  readonly atMs?: number;
  readonly endTurn?: () => void;
}

export const endOnce = (
  ports: Ports,
  { again, reminders = 0, atMs = 0, endTurn = () => undefined }: How,
): Promise<void> =>
  stopBilling(ports)(
    { session: { ...session, reminders }, again },
    { ...delivery(), time: new Date(atMs).toISOString() },
    endTurn,
  );

/** billing-adapter with a partner that answers stops in turn, and counts them. */
export const adapter = (...answers: ('stopped' | 'unknown')[]) => {
  const world = {
    nowMs: 0,
    stops: 0,
    gaveWay: 0,
    retryTurns: 0,
    published: [] as [string, Record<string, unknown>][],
    logIsAway: false,
  };
  const ports = {
    clock: () => world.nowMs,
    random: () => 0,
    retryTurn: async () => void (world.retryTurns += 1),
    giveWay: async () => void (world.gaveWay += 1),
    retries: activeRetries(() => world.nowMs),
    stops: recentStops(() => world.nowMs),
    publish: async (name: string, data: Record<string, unknown>) => {
      if (world.logIsAway) throw new Error('the log is away');
      world.published.push([name, data]);
    },
    partner: {
      stop: async () =>
        answers[world.stops++] === 'stopped'
          ? { outcome: 'stopped', playDurationSec: 60 }
          : { outcome: 'unknown', reason: 'slow', isOutage: true },
    },
  } as unknown as Ports;
  const retryOf = () => world.published.findLast(([name]) => name === 'billing-retry.scheduled')?.[1];
  const eventsOf = () => world.published.map(([name]) => name);
  return { world, ports, retryOf, eventsOf, end: (how: How = {}) => endOnce(ports, how) };
};
