/** When each request of an open loop is to be sent: at a fixed rate, whatever becomes of those before it. */
export interface Schedule {
  /** How many requests should have been sent by this instant, at most all of them. */
  dueBy(nowMs: number): number;
  /** When request `index`, counted from 0, is to be sent. Latency counts from here, also if it is sent later: a slow server must not thin out its own measurement. */
  intendedAtMs(index: number): number;
  readonly total: number;
  readonly endsAtMs: number;
}

/** Requests at `ratePerSec` for so many seconds, the first one at `startsAtMs`. */
export const scheduleOf = (startsAtMs: number, ratePerSec: number, seconds: number): Schedule => {
  const total = Math.floor(ratePerSec * seconds);
  const everyMs = 1000 / ratePerSec;
  return {
    total,
    endsAtMs: startsAtMs + seconds * 1000,
    intendedAtMs: (index) => startsAtMs + index * everyMs,
    dueBy: (nowMs) =>
      nowMs < startsAtMs ? 0 : Math.min(total, Math.floor((nowMs - startsAtMs) / everyMs) + 1),
  };
};
