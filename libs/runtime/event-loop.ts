import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Histogram } from 'node:perf_hooks';
import type { Component } from './service.ts';

const defaults = { boundMs: 1_000, windowMs: 5_000 };
/** Each sample wakes the process. */
const samplesInWindow = 25;
/** An event loop that stands still takes no samples: about four of five seconds at once, or a second twice or three times, are above it. */
const percentile = 90;
const nanosecondsInMs = 1_000_000;

/** Whether a window's delays say that the process is too late to serve. */
export const isTooLate = (delays: Pick<Histogram, 'percentile'>, boundMs = defaults.boundMs): boolean =>
  delays.percentile(percentile) / nanosecondsInMs >= boundMs;

/** Readiness by event loop delay: not ready after a window of 5 s in which the 90th percentile of the delay was 1 s or more. */
export const eventLoop = ({ boundMs, windowMs } = defaults): Component => {
  const delays = monitorEventLoopDelay({ resolution: windowMs / samplesInWindow });
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  return {
    name: 'event loop',
    start: async () => {
      delays.enable();
      timer = setInterval(() => {
        isLate = isTooLate(delays, boundMs);
        delays.reset();
      }, windowMs).unref();
    },
    ready: () => !isLate,
    stop: async () => {
      clearInterval(timer);
      delays.disable();
    },
  };
};
