import type { Ports } from '../ports.ts';

/** A balance of so many seconds lasts: 1,440 PCs use it up in a minute. */
const plentySec = 86_400;
/** For how long what the partner said of a balance counts, in ms. */
const knownForMs = 60_000;
const mostCafes = 50_000;

interface BalanceOptions {
  /** More heartbeats a second than this are a crowd; of fewer each waits for the partner. */
  readonly awaitedPerSec: number;
  /** A monotonic clock in ms. */
  readonly now?: () => number;
}

/** Counts what comes; whether it is more than so many a second, by the last whole second, or by this one already. */
const createCrowd = (mostPerSec: number) => {
  let second = { beganMs: -Infinity, count: 0, followsCrowd: false };
  return (nowMs: number): boolean => {
    const sinceMs = nowMs - second.beganMs;
    if (sinceMs >= 1_000)
      second = { beganMs: nowMs, count: 0, followsCrowd: sinceMs < 2_000 && second.count > mostPerSec };
    second.count += 1;
    return second.followsCrowd || second.count > mostPerSec;
  };
};

/** The cafes whose balances the partner has said to last, and until when that counts (D-62). */
export const knownBalances = ({
  awaitedPerSec,
  now = () => performance.now(),
}: BalanceOptions): Ports['balances'] => {
  const lasting = new Map<string, number>();
  const isCrowded = createCrowd(awaitedPerSec);
  return {
    told: (cafeId, remainingSec) => {
      lasting.delete(cafeId);
      if (remainingSec < plentySec) return;
      const [oldest] = lasting.keys();
      if (lasting.size >= mostCafes && oldest !== undefined) lasting.delete(oldest);
      lasting.set(cafeId, now() + knownForMs);
    },
    heartbeatCame: (cafeId) => {
      const nowMs = now();
      return isCrowded(nowMs) && (lasting.get(cafeId) ?? 0) > nowMs;
    },
  };
};
