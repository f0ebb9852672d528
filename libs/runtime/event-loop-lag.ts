import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Histogram } from 'node:perf_hooks';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** How often the lag is sampled, in ms: each sample wakes the process. */
const sampleEveryMs = 100;
const [millisecondsInSecond, nanosecondsInSecond] = [1e3, 1e9];

/** In seconds: how much later than it should a sample was taken. Node counts the time between two samples. */
const late = (nanoseconds: number): number =>
  Math.max(0, nanoseconds / nanosecondsInSecond - sampleEveryMs / millisecondsInSecond);

const percentile =
  (rank: number) =>
  (delays: Histogram): number =>
    late(delays.percentile(rank));

/** By the names that prom-client gives them: what each is of the lag since the last scrape. */
const values: Readonly<Record<string, readonly [what: string, read: (delays: Histogram) => number]>> = {
  min: ['least', ({ min }) => late(min)],
  max: ['greatest', ({ max }) => late(max)],
  mean: ['mean', ({ mean }) => late(mean)],
  stddev: ['standard deviation', ({ stddev }) => stddev / nanosecondsInSecond],
  p50: ['median', percentile(50)],
  p90: ['90th percentile', percentile(90)],
  p99: ['99th percentile', percentile(99)],
};

/**
 * prom-client's default metrics of the lag take every sample's interval for lag, so that a process with nothing to do has 40 ms of it where it is
 * sampled each 40 ms; and to be exact they must wake it often. Here a lag is what is beyond the interval: what a stall
 * adds to it, and up to an interval less than that where one follows another without rest. Returns what reads them, for each scrape.
 */
export const measureEventLoopLag = (registry: Registry): (() => void) => {
  const delays = monitorEventLoopDelay({ resolution: sampleEveryMs });
  const gauges = Object.entries(values).map(([kind, [what, read]]) => {
    const name = `nodejs_eventloop_lag_${kind}_seconds`;
    const help = `The lag of the event loop since the last scrape: ${what}.`;
    registry.removeSingleMetric(name);
    return { gauge: new Gauge({ name, help, registers: [registry] }), read };
  });
  delays.enable();
  return () => {
    const any = delays.count > 0;
    for (const { gauge, read } of gauges) gauge.set(any ? read(delays) : 0);
    delays.reset();
  };
};
