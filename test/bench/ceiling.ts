import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { GeneratorProcess } from './generator-process.ts';
import { createMeter } from './usage.ts';

const measuredSec = 6;
const ceilingFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32'];

/** What a bare server reached. */
export interface Ceiling {
  /** Answers a second with one whole core: where the generator or Redis took some of it, more than were given. */
  readonly perSec: number;
  /** Answers a second that were given. */
  readonly achievedPerSec: number;
  readonly serverCores: number;
}

/** The same answer from a bare koa server that does one EVALSHA on the Redis of the stack, driven by the same generator: what this machine could do at most. */
export const measureCeiling = async (redisUrl: string, generator: GeneratorProcess): Promise<Ceiling> => {
  const server = fork(join(import.meta.dirname, 'ceiling-server.ts'), [redisUrl], { execArgv: ceilingFlags });
  try {
    const [{ url }] = (await once(server, 'message')) as [{ url: string }];
    const meter = createMeter([{ name: 'bare', pid: server.pid ?? -1 }]);
    generator.onWindow(meter.window);
    const achievedPerSec = await generator.ceiling(url, measuredSec);
    const serverCores = (meter.cpuMs()['bare'] ?? 0) / (measuredSec * 1000);
    const perSec = serverCores > 0 && serverCores < 1 ? achievedPerSec / serverCores : achievedPerSec;
    return { perSec, achievedPerSec, serverCores };
  } finally {
    server.disconnect();
  }
};
