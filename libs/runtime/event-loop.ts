import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Component } from './service.ts';

const defaults = { boundMs: 1_000, windowMs: 5_000 };
const nanosecondsInMs = 1_000_000;

/** The event loop's delay, looked at in windows of five seconds: a process that is too busy to answer in time is not ready. */
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
