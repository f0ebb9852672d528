import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { stopOnce } from './support/stop-until-confirmed.ts';

/** Stops are to be confirmed within five minutes: one that has waited for this long gives way no more. */
const givesWayForMs = 60_000;

/**
 * Play is over: billing stops at the partner with the final seconds; with those of an earlier stop where it has started again since (D-60). Nobody
 * waits for it, so it gives way for a minute (D-61). A reminder that waited on the log behind its own stop says nothing again; where a clock is
 * wrong (D-35) one more or one less does.
 */
export const stopBilling =
  (ports: Ports) =>
  async ({ session, again }: EventData<'game-session.ending'>, { time }: EventMeta): Promise<void> => {
    const { gameSessionId, playDurationSec, partnerPlayDurationSec, endedAtMs, endReason } = session;
    const publishedMs = Date.parse(time);
    const isTold = (): boolean =>
      !again && session.reminders > 0 && ports.stops.toldSince(gameSessionId, publishedMs);
    if (isTold()) return;
    if (ports.clock() - publishedMs < givesWayForMs) await ports.giveWay();
    if (isTold()) return;
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
