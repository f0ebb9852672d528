import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { stopOnce } from './support/stop-until-confirmed.ts';

/**
 * Play is over: billing stops at the partner with the final seconds; with those of an earlier stop where it has started again since (D-60). Nobody
 * waits for it, so it gives way (D-61). A reminder that waited on the log behind its own stop says nothing again; where a clock is wrong (D-35) one more or one less does.
 */
export const stopBilling =
  (ports: Ports) =>
  async ({ session, again }: EventData<'game-session.ending'>, { time }: EventMeta): Promise<void> => {
    const { gameSessionId, playDurationSec, partnerPlayDurationSec, endedAtMs, endReason } = session;
    if (!again && session.reminders > 0 && ports.stops.toldSince(gameSessionId, Date.parse(time))) return;
    await ports.giveWay();
    const { cafeId, pcId, gameId, providerUserId, startedAtMs } = session;
    await stopOnce(ports)({
      gameSessionId,
      playDurationSec: partnerPlayDurationSec ?? playDurationSec,
      stoppedAtMs: endedAtMs ?? session.lastSeenAtMs,
      reason: endReason ?? 'ended',
      played: { cafeId, pcId, gameId, providerUserId, startedAtMs },
      again,
    });
  };
