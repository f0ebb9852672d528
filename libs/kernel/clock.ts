/** The current time in milliseconds since the Unix epoch. Only each service's `main.ts` reads the real clock; everything else is passed one. */
export type Clock = () => number;

/** How far the clocks of two processes may be apart, in ms: an instant of another process is not compared more exactly than this (D-35). */
export const clockToleranceMs = 300_000;

/** Whole seconds between two instants in milliseconds, rounded down and never negative. */
export const wholeSeconds = (fromMs: number, toMs: number): number =>
  Math.max(0, Math.floor((toMs - fromMs) / 1000));
