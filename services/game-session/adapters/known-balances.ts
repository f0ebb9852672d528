import { AgeingMap } from '#libs/kernel/ageing-map.ts';
import { createSeconds } from '#libs/kernel/seconds.ts';
import type { Ports } from '../ports.ts';

/** A balance of so many seconds lasts: 144 PCs use it up in ten minutes. */
const plentySec = 86_400;
/**
 * For how long what the partner said of a balance counts, in ms: of a cafe with a hundred PCs, on one of ten replicas, one heartbeat of fifty waits
 * then. Where the balance does not last so long each session hears it one heartbeat later (D-62).
 */
const knownForMs = 600_000;
const mostCafes = 50_000;

interface BalanceOptions {
  /** More heartbeats a second than this are a crowd; of fewer each waits for the partner. */
  readonly awaitedPerSec: number;
  /** A monotonic clock in ms. */
  readonly now?: () => number;
}

/** Heartbeats of a second: how many came, and how many of them went by what was known. */
interface Second {
  came: number;
  known: number;
}
const none = (): Second => ({ came: 0, known: 0 });

/** The cafes whose balances the partner has said to last, and until when that counts (D-62). */
export const knownBalances = ({
  awaitedPerSec,
  now = () => performance.now(),
}: BalanceOptions): Ports['balances'] => {
  const lasting = new AgeingMap<string, number>({ most: mostCafes });
  const secondsAt = createSeconds(none);
  const isCrowd = ({ came }: Second): boolean => came > awaitedPerSec;
  return {
    told: (cafeId, remainingSec) => {
      if (remainingSec < plentySec) lasting.delete(cafeId);
      else lasting.set(cafeId, now() + knownForMs);
    },
    heartbeatCame: (cafeId) => {
      const nowMs = now();
      const { current, last } = secondsAt(nowMs);
      current.came += 1;
      const isKnown = (isCrowd(current) || isCrowd(last)) && (lasting.get(cafeId) ?? 0) > nowMs;
      if (isKnown) current.known += 1;
      return isKnown;
    },
    heartbeatsGather: () => {
      const { came, known } = secondsAt(now()).last;
      return known > came / 2 ? 'brief' : 'far';
    },
  };
};
