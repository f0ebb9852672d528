import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** What was done with the time of cores since the system, or this process, started. */
export interface CoreTimes {
  /** For how long the main thread had a core, and for how long it waited for one, in ns. */
  readonly ranNs: number;
  readonly waitedNs: number;
  /** How much of the time of all the node's cores nobody used, and all of it, in ticks. */
  readonly idleTicks: number;
  readonly allTicks: number;
}

/** As Linux counts it; undefined elsewhere. */
const coreTimes = (): CoreTimes | undefined => {
  try {
    const [ranNs = 0, waitedNs = 0] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    const [allCores = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const [user = 0, nice = 0, system = 0, idle = 0, waitingForDisk = 0, ...others] = allCores
      .split(/ +/)
      .slice(1, 9)
      .map(Number);
    const idleTicks = idle + waitingForDisk;
    const allTicks = others.reduce((sum, each) => sum + each, user + nice + system + idleTicks);
    return { ranNs, waitedNs, idleTicks, allTicks };
  } catch {
    return undefined;
  }
};

const sampleEveryMs = 250;
/** A node of whose cores less is idle has none to spare. */
const idleBelow = 0.1;
/** From this share of the time that it wants a core on, a process that waits for one takes it from others who are waited for. */
const waitedFrom = 0.2;
const pauseMs = 250;

const isScarceBetween = (before: CoreTimes, now: CoreTimes): boolean => {
  const [ran, waited] = [now.ranNs - before.ranNs, now.waitedNs - before.waitedNs];
  const [idle, all] = [now.idleTicks - before.idleTicks, now.allTicks - before.allTicks];
  return waited > waitedFrom * (ran + waited) && idle < idleBelow * all;
};

interface Host {
  readonly coreTimes: () => CoreTimes | undefined;
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const thisHost: Host = { coreTimes, nowMs: () => performance.now(), pause: setTimeout };

/**
 * For work that nobody waits for, before each portion of it: resolves at once, or after a quarter of a second while the node has no core to spare
 * and this process waits for one for a fifth of the time that it wants one (D-61).
 */
export const createGiveWay = ({ coreTimes, nowMs, pause }: Host = thisHost): (() => Promise<void>) => {
  let [last, sampledAtMs, isScarce] = [coreTimes(), nowMs(), false];
  const sample = (): void => {
    const now = coreTimes();
    isScarce = now !== undefined && last !== undefined && isScarceBetween(last, now);
    [last, sampledAtMs] = [now, nowMs()];
  };
  return async () => {
    if (nowMs() - sampledAtMs >= sampleEveryMs) sample();
    if (isScarce) await pause(pauseMs);
  };
};
