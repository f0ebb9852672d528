import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { clockToleranceMs } from '#libs/kernel/clock.ts';
import type { Ports } from '../ports.ts';
import { stopOnce } from './support/stop-until-confirmed.ts';

/** Stops are to be confirmed within five minutes: one that has waited for this long gives way no more. */
const givesWayForMs = 60_000;
/** One that has waited for half of that has its turn no longer than it must. */
const hurriesAfterMs = 150_000;
/** Behind a reminder that is older than this another one comes, in ms: five minutes apart (D-06), by clocks that may differ (D-35). */
const followedAfterMs = 300_000 + clockToleranceMs;

/**
 * Play is over: billing stops at the partner with the final seconds; with those of an earlier stop where it has started again since (D-60). Nobody
 * waits for it, so for a minute it gives way (D-61), and it has its turn until the log has what came of it, unless it is late. A reminder that
 * waited on the log behind its own stop says nothing again, nor does one that waited for longer than the next one takes, unless the partner has
 * confirmed it to us; where a clock is wrong (D-35) one more or one less does.
 */
export const stopBilling =
  (ports: Ports) =>
  async (
    { session, again }: EventData<'game-session.ending'>,
    { time }: EventMeta,
    endTurn: () => void,
  ): Promise<void> => {
    const { gameSessionId, playDurationSec, partnerPlayDurationSec, endedAtMs, endReason } = session;
    const publishedMs = Date.parse(time);
    const waitedMs = ports.clock() - publishedMs;
    const isReminder = !again && session.reminders > 0;
    const { confirmedSec, toldSince } = ports.stops;
    const saysNothing = (): boolean =>
      isReminder &&
      (toldSince(gameSessionId, publishedMs) ||
        (waitedMs > followedAfterMs && confirmedSec(gameSessionId) === undefined));
    if (saysNothing()) return;
    if (waitedMs < givesWayForMs) await ports.giveWay();
    if (saysNothing()) return;
    const { cafeId, pcId, gameId, providerUserId, startedAtMs } = session;
    const order = {
      gameSessionId,
      playDurationSec: partnerPlayDurationSec ?? playDurationSec,
      stoppedAtMs: endedAtMs ?? session.lastSeenAtMs,
      reason: endReason ?? 'ended',
      played: { cafeId, pcId, gameId, providerUserId, startedAtMs },
      again,
    };
    const isLaterReminder = isReminder && session.reminders > 1;
    await stopOnce(ports)(order, {
      isLaterReminder,
      ...(waitedMs >= hurriesAfterMs && { onDecided: endTurn }),
    });
  };
