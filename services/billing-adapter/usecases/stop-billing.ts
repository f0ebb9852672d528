import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { stopOnce } from './support/stop-until-confirmed.ts';

/**
 * Play is over: billing stops at the partner with the final seconds; with those of an earlier stop where it has started again since, after a
 * heartbeat that was late on its own topic, or a start that was retried (D-60).
 */
export const stopBilling =
  (ports: Ports) =>
  async ({ session, again }: EventData<'game-session.ending'>): Promise<void> => {
    const { gameSessionId, playDurationSec, partnerPlayDurationSec, endedAtMs, endReason } = session;
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
