import type { Log } from './log.ts';
import { withDeadline } from './wait.ts';

/** Closing a connection is given this much even where nothing is left of the time. */
const leastMs = 500;

/** How long a stop may take, in milliseconds: for the work that is in flight, and for sending what is still to be sent. */
export interface Drain {
  readonly inFlightMs: number;
  readonly flushMs: number;
}

/** What is stopped: a component, or whatever has a name and an end. */
interface Stoppable {
  readonly name: string;
  readonly flushes?: boolean;
  stop(): Promise<void>;
}

/** Time that several pieces of work share, one after another. */
const sharedTime = (totalMs: number) => {
  let leftMs = totalMs;
  return async (work: () => Promise<void>, onTimeout: () => Error): Promise<void> => {
    const started = performance.now();
    try {
      await withDeadline(work(), Math.max(leastMs, leftMs), onTimeout);
    } finally {
      leftMs -= performance.now() - started;
    }
  };
};

/** Stops components one after another: those that flush within the one time, all others within the other. A failure is logged, and stops no other. */
export const stopParts = async (parts: readonly Stoppable[], drain: Drain, log: Log): Promise<void> => {
  const inFlight = sharedTime(drain.inFlightMs);
  const flush = sharedTime(drain.flushMs);
  for (const part of parts) {
    const within = part.flushes === true ? flush : inFlight;
    try {
      await within(
        () => part.stop(),
        () => new Error(`${part.name} did not stop in time`),
      );
    } catch (error) {
      log.error({ error, part: part.name }, 'a part did not stop well');
    }
  }
};
