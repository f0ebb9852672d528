import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Component } from './service.ts';

const defaults = { boundMs: 1_000, windowMs: 5_000 };
const nanosecondsInMs = 1_000_000;

/** Readiness by event loop delay: not ready after a window of 5 s in which the 99th percentile of the delay was 1 s or more. */
export const eventLoop = ({ boundMs, windowMs } = defaults): Component => {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  let timer: NodeJS.Timeout | undefined;
  let lastMs = 0;
  return {
    name: 'event loop',
    start: async () => {
      delays.enable();
      timer = setInterval(() => {
        lastMs = delays.percentile(99) / nanosecondsInMs;
        delays.reset();
      }, windowMs).unref();
    },
    ready: () => lastMs < boundMs,
    stop: async () => {
      clearInterval(timer);
      delays.disable();
    },
  };
};
