/** Milliseconds since the Unix epoch. Time is an argument everywhere but in `main.ts`. */
export type Clock = () => number;

/** Whole seconds between two instants in milliseconds, rounded down and never negative. */
export const wholeSeconds = (fromMs: number, toMs: number): number =>
  Math.max(0, Math.floor((toMs - fromMs) / 1000));
