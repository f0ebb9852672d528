import { performance } from 'node:perf_hooks';

/** Tells, each time it is called, which share of the time since the call before (or since it was made) the event loop worked: 0 to 1. */
export const createUtilization = (): (() => number) => {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
};
