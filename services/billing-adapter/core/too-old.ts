import { clockToleranceMs } from '#libs/kernel/clock.ts';

/** An order that is older than this leads to no session any more, in ms (D-15). */
const startWithinMs = 300_000;

/** Whether an order is certainly too old to be carried out. Its instant is of the store's clock, and ours may be wrong (D-35). */
export const isTooOld = (startedAtMs: number, nowMs: number): boolean =>
  nowMs - startedAtMs >= startWithinMs + clockToleranceMs;
