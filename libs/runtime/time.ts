import { setTimeout } from 'node:timers/promises';

/** A monotonic clock in ms, and a timer; tests pass their own. */
export interface Time {
  now(): number;
  pause(ms: number): Promise<unknown>;
}

/** The time of this process. */
export const realTime: Time = { now: () => performance.now(), pause: setTimeout };
