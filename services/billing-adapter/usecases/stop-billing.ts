import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { stopUntilConfirmed } from './support/stop-until-confirmed.ts';

/** Play is over: the partner is told the final seconds. */
export const stopBilling = (ports: Ports) => {
  const stop = stopUntilConfirmed(ports);
  return ({ session }: EventData<'game-session.ending'>): Promise<void> => {
    const { gameSessionId, playDurationSec, endedAtMs, endReason } = session;
    const { cafeId, pcId, gameId, providerUserId, startedAtMs } = session;
    return stop({
      gameSessionId,
      playDurationSec,
      stoppedAtMs: endedAtMs ?? session.lastSeenAtMs,
      reason: endReason ?? 'ended',
      played: { cafeId, pcId, gameId, providerUserId, startedAtMs },
    });
  };
};
