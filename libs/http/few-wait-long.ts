import type { TurnLength } from '#libs/runtime/turns.ts';

/** Fewer requests a second than this are few: a turn of the usual length would serve one or two of them. */
const fewPerSec = 100;

/**
 * How long requests gather for which nobody who plays waits (D-56): long while few come in a second, and as `otherwise` says when there are
 * more. What is returned is asked once for each request, and counts it. `now`: a monotonic clock in ms.
 */
export const fewWaitLong = (
  otherwise: () => TurnLength,
  now: () => number = () => performance.now(),
): (() => TurnLength) => {
  let [beganMs, last, current] = [-Infinity, 0, 0];
  return () => {
    const nowMs = now();
    const sinceMs = nowMs - beganMs;
    if (sinceMs >= 1_000) [beganMs, last, current] = [nowMs, sinceMs < 2_000 ? current : 0, 0];
    current += 1;
    return Math.max(last, current) < fewPerSec ? 'long' : otherwise();
  };
};
