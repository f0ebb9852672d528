import { setTimeout } from 'node:timers/promises';
import { usageNow } from './usage.ts';
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

const used = (from: ReturnType<typeof usageNow>, to: ReturnType<typeof usageNow>): Record<string, number> =>
  Object.fromEntries(Object.entries(to).map(([name, { cpuMs }]) => [name, cpuMs - (from[name]?.cpuMs ?? 0)]));

/** Counts what processes do until they have done no more than idle for two seconds, for a minute at most. */
export const aftermathOf = async (processes: readonly Measured[]): Promise<Aftermath> => {
  const [beganMs, before] = [performance.now(), usageNow(processes)];
  let [quiet, last] = [0, before];
  while (quiet < quietSamples && performance.now() - beganMs < longestMs) {
    await setTimeout(sampleMs);
    const now = usageNow(processes);
    const ms = Object.values(used(last, now)).reduce((sum, each) => sum + each, 0);
    quiet = ms < quietCores * sampleMs ? quiet + 1 : 0;
    last = now;
  }
  return { seconds: (performance.now() - beganMs) / 1000, cpuMs: used(before, last) };
};
