import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** For how long the main thread had a core, and for how long it waited for one, in ns since it started. */
export interface CoreTime {
  readonly ranNs: number;
  readonly waitedNs: number;
}

/** As Linux counts it; undefined elsewhere. */
const coreTime = (): CoreTime | undefined => {
  try {
    const [ranNs = 0, waitedNs = 0] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return { ranNs, waitedNs };
  } catch {
    return undefined;
  }
};

const sampleEveryMs = 250;
/** From this share of the time that it wants a core on, a process that waits for one takes it from others who are waited for. */
const scarceFrom = 0.5;
const pauseMs = 250;

const isScarceBetween = (before: CoreTime, now: CoreTime): boolean => {
  const [ran, waited] = [now.ranNs - before.ranNs, now.waitedNs - before.waitedNs];
  return waited > scarceFrom * (ran + waited);
};

interface Host {
  readonly coreTime: () => CoreTime | undefined;
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const thisHost: Host = { coreTime, nowMs: () => performance.now(), pause: setTimeout };

/**
 * For work that nobody waits for, before each portion of it: resolves at once, or after a quarter of a second while this process waits for a core
 * for longer than it has one (D-61).
 */
export const createGiveWay = ({ coreTime, nowMs, pause }: Host = thisHost): (() => Promise<void>) => {
  let [last, sampledAtMs, isScarce] = [coreTime(), nowMs(), false];
  const sample = (): void => {
    const now = coreTime();
    isScarce = now !== undefined && last !== undefined && isScarceBetween(last, now);
    [last, sampledAtMs] = [now, nowMs()];
  };
  return async () => {
    if (nowMs() - sampledAtMs >= sampleEveryMs) sample();
    if (isScarce) await pause(pauseMs);
  };
};
