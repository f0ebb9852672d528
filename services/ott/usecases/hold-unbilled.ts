import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/**
 * A stop has no answer from the partner. Where the session's start has none either, its play counts as unbilled with the seconds that it had, and
 * no longer until now (D-26). Later tries of the same stop say nothing new.
 */
export const holdUnbilled =
  ({ unbilled }: Ports) =>
  async ({ call, attempt }: EventData<'billing-retry.scheduled'>): Promise<void> => {
    if (call.operation !== 'stop' || call.order.played === null || attempt > 1) return;
    const { gameSessionId, playDurationSec, played } = call.order;
    await unbilled.hold(played.cafeId, gameSessionId, playDurationSec);
  };
