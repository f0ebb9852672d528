import { createSeconds } from '#libs/kernel/seconds.ts';
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
  const secondsAt = createSeconds(() => ({ came: 0 }));
  return () => {
    const { current, last } = secondsAt(now());
    current.came += 1;
    return Math.max(last.came, current.came) < fewPerSec ? 'long' : otherwise();
  };
};
