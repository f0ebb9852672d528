import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { stopOnce } from './support/stop-until-confirmed.ts';

/**
 * Play is over: billing stops at the partner with the final seconds. A reminder that waited on the log behind its own stop says nothing again
 * (D-60); where a clock is wrong (D-35) it does, or the next one does.
 */
export const stopBilling =
  (ports: Ports) =>
  async ({ session }: EventData<'game-session.ending'>, { time }: EventMeta): Promise<void> => {
    const { gameSessionId, playDurationSec, endedAtMs, endReason } = session;
    if (session.reminders > 0 && ports.stops.toldSince(gameSessionId, Date.parse(time))) return;
    const { cafeId, pcId, gameId, providerUserId, startedAtMs } = session;
    await stopOnce(ports)({
      gameSessionId,
      playDurationSec,
      stoppedAtMs: endedAtMs ?? session.lastSeenAtMs,
      reason: endReason ?? 'ended',
      played: { cafeId, pcId, gameId, providerUserId, startedAtMs },
    });
  };
