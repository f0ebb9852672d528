import { setTimeout } from 'node:timers/promises';
import { createMeter } from './usage.ts';
import type { Measured } from './usage.ts';

/** With less than this of a core all processes together do no more than idle. */
const quietCores = 0.3;
const quietSamples = 2;
const sampleMs = 1_000;
const longestMs = 60_000;

/** What was done for a phase when it was over: for how long, and by whom. */
export interface Aftermath {
  readonly seconds: number;
  readonly cpuMs: Readonly<Record<string, number>>;
}

/** Counts what processes do until they have done no more than idle for two seconds, for a minute at most. */
export const aftermathOf = async (processes: readonly Measured[]): Promise<Aftermath> => {
  const meter = createMeter(processes);
  const beganMs = performance.now();
  let [quiet, countedMs] = [0, 0];
  while (quiet < quietSamples && performance.now() - beganMs < longestMs) {
    meter.window(true);
    await setTimeout(sampleMs);
    meter.window(false);
    const ms = Object.values(meter.cpuMs()).reduce((sum, each) => sum + each, -countedMs);
    countedMs += ms;
    quiet = ms < quietCores * sampleMs ? quiet + 1 : 0;
  }
  return { seconds: (performance.now() - beganMs) / 1000, cpuMs: meter.cpuMs() };
};
