import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { stopOnce } from './support/stop-until-confirmed.ts';

/** Play is over: billing stops at the partner with the final seconds. */
export const stopBilling =
  (ports: Ports) =>
  async ({ session }: EventData<'game-session.ending'>): Promise<void> => {
    const { gameSessionId, playDurationSec, endedAtMs, endReason } = session;
    const { cafeId, pcId, gameId, providerUserId, startedAtMs } = session;
    await stopOnce(ports)({
      gameSessionId,
      playDurationSec,
      stoppedAtMs: endedAtMs ?? session.lastSeenAtMs,
      reason: endReason ?? 'ended',
      played: { cafeId, pcId, gameId, providerUserId, startedAtMs },
    });
  };
