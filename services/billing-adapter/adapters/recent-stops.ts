import { AgeingMap } from '#libs/kernel/ageing-map.ts';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Ports, StopOrder } from '../ports.ts';

/** Beyond so many stops the oldest is forgotten: a reminder of it costs a call to the partner (D-60). */
const most = 100_000;
/** How long a stop whose retries are on the log is theirs, in ms: if they were lost, a later reminder stops again. */
const inHandMs = 900_000;

/** The stops that this process has in hand, and those that the partner has confirmed to it. */
export const recentStops = (clock: Clock): Ports['stops'] => {
  const inHand = new AgeingMap<string, number>({ most });
  const confirmed = new AgeingMap<string, number>({ most });
  const toldAtMs = new AgeingMap<string, number>({ most });
  const nameOf = ({ gameSessionId, reason }: StopOrder) => `${gameSessionId} ${reason}`;
  return {
    confirmedSec: (gameSessionId) => confirmed.get(gameSessionId),
    confirm: (gameSessionId, playDurationSec) => confirmed.set(gameSessionId, playDurationSec),
    told: (gameSessionId) => toldAtMs.set(gameSessionId, clock()),
    toldSince: (gameSessionId, sinceMs) => (toldAtMs.get(gameSessionId) ?? 0) > sinceMs,
    isInHand: (order) => !order.again && (inHand.get(nameOf(order)) ?? 0) > clock(),
    take: (order) => {
      if (!order.again) inHand.set(nameOf(order), clock() + inHandMs);
    },
    release: (order) => {
      if (!order.again) inHand.delete(nameOf(order));
    },
  };
};
