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
const scarceFrom = 0.2;
/** The pause of a process that always waited, in ms: half as long where it waited as long as it ran. */
const longestPauseMs = 500;

interface Host {
  readonly coreTime: () => CoreTime | undefined;
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const thisHost: Host = { coreTime, nowMs: () => performance.now(), pause: setTimeout };

/**
 * For work that nobody waits for, before each portion of it: resolves at once while there is a core for this process, otherwise after a pause that
 * is the longer, the more of its time it waits for one (D-61).
 */
export const createGiveWay = ({ coreTime, nowMs, pause }: Host = thisHost): (() => Promise<void>) => {
  let [last, sampledAtMs, waitedShare] = [coreTime(), nowMs(), 0];
  const sample = (): void => {
    const now = coreTime();
    if (now && last) {
      const [ran, waited] = [now.ranNs - last.ranNs, now.waitedNs - last.waitedNs];
      waitedShare = waited > 0 ? waited / (ran + waited) : 0;
    }
    [last, sampledAtMs] = [now, nowMs()];
  };
  return async () => {
    if (nowMs() - sampledAtMs >= sampleEveryMs) sample();
    if (waitedShare > scarceFrom) await pause(waitedShare * longestPauseMs);
  };
};
