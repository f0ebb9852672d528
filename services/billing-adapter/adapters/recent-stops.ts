import type { Clock } from '#libs/kernel/clock.ts';
import type { Ports, StopOrder } from '../ports.ts';

/** Beyond so many stops the oldest is forgotten, which costs a call to the partner and nothing else. */
const maxKept = 100_000;
/** How long a stop whose retries are on the log is theirs, in ms: if they were lost, a later reminder stops again. */
const inHandMs = 900_000;

/** The stops that this process has in hand, and those that the partner has confirmed to it. */
export const recentStops = (clock: Clock): Ports['stops'] => {
  const inHand = new Map<string, number>();
  const confirmed = new Map<string, number>();
  const toldAtMs = new Map<string, number>();
  const nameOf = ({ gameSessionId, reason }: StopOrder) => `${gameSessionId} ${reason}`;
  const keep = <T>(kept: Map<string, T>, name: string, value: T): void => {
    kept.delete(name);
    kept.set(name, value);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  };
  return {
    confirmedSec: (gameSessionId) => confirmed.get(gameSessionId),
    confirm: (gameSessionId, playDurationSec) => keep(confirmed, gameSessionId, playDurationSec),
    told: (gameSessionId) => keep(toldAtMs, gameSessionId, clock()),
    toldSince: (gameSessionId, sinceMs) => (toldAtMs.get(gameSessionId) ?? 0) > sinceMs,
    isInHand: (order) => !order.again && (inHand.get(nameOf(order)) ?? 0) > clock(),
    take: (order) => {
      if (!order.again) keep(inHand, nameOf(order), clock() + inHandMs);
    },
    release: (order) => {
      if (!order.again) inHand.delete(nameOf(order));
    },
  };
};
