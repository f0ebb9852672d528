/** What is counted of the second that has begun last, and of the whole one before it. */
export interface Seconds<T> {
  readonly current: T;
  readonly last: Readonly<T>;
}

/**
 * Counts by the second: returns what there is at an instant of a monotonic clock in ms. A second begins with the first instant that is asked
 * for after the one before; of one in which nobody asked, `last` is what `none` returns.
 */
export const createSeconds = <T>(none: () => T): ((nowMs: number) => Seconds<T>) => {
  let [beganMs, last, current] = [-Infinity, none(), none()];
  return (nowMs) => {
    const sinceMs = nowMs - beganMs;
    if (sinceMs >= 1_000) [beganMs, last, current] = [nowMs, sinceMs < 2_000 ? current : none(), none()];
    return { current, last };
  };
};
