import { readFileSync } from 'node:fs';
import { childrenOf } from '../../deploy/local/processes.ts';

/** USER_HZ, which Linux fixes for programs. */
const ticksPerSec = 100;
const pageBytes = 4_096;

/** A process whose costs are counted, with those of all that it has started, unless they are counted by themselves. */
export interface Measured {
  readonly name: string;
  readonly pid: number;
}

/** CPU since it began, in ms, and resident memory now, in MB; zeros once it has ended. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssMb: number;
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Of the text of /proc/PID/stat: user and system time, its own and that of children that have ended, in ms. */
export const cpuMsOf = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / ticksPerSec;
};

type Pids = ReadonlySet<number>;

/** A child that ends leaves its CPU to its parent, as here: Redis' copies that write a snapshot, Postgres' backends. */
const cpuMsOfTree = (pid: number, apart: Pids): number =>
  childrenOf(pid)
    .filter((child) => !apart.has(child))
    .reduce((sum, child) => sum + cpuMsOfTree(child, apart), cpuMsOf(read(`/proc/${pid}/stat`)));

/** The shared memory of Postgres' backends would count several times: of children only the CPU is added. */
const usageOf = (pid: number, apart: Pids): Usage => ({
  cpuMs: cpuMsOfTree(pid, apart),
  rssMb: (Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * pageBytes) / 1e6,
});

type ByName<T> = Readonly<Record<string, T>>;

/** What each process has used. */
export const usageNow = (processes: readonly Measured[]): ByName<Usage> => {
  const pids = new Set(processes.map(({ pid }) => pid));
  return Object.fromEntries(processes.map(({ name, pid }) => [name, usageOf(pid, pids)]));
};

/** Adds up what was used while windows were open. */
export const createMeter = (processes: readonly Measured[]) => {
  const cpuMs: Record<string, number> = {};
  const gone = new Set<string>();
  let [atMiddle, atOpen]: (ByName<Usage> | undefined)[] = [];
  return {
    window: (isOpen: boolean): void => {
      const now = usageNow(processes);
      for (const [name, { cpuMs: ms }] of Object.entries(now)) if (ms === 0) gone.add(name);
      if (atOpen && !isOpen)
        for (const [name, { cpuMs: until }] of Object.entries(now))
          cpuMs[name] = (cpuMs[name] ?? 0) + Math.max(0, until - (atOpen[name]?.cpuMs ?? 0));
      atOpen = isOpen ? now : undefined;
    },
    /** To be called in the middle of what is measured. */
    middle: (): void => {
      atMiddle = usageNow(processes);
    },
    /** Processes that had ended when a window opened or closed: what was measured lacks their costs. */
    ended: (): readonly string[] => [...gone],
    cpuMs: (): ByName<number> => cpuMs,
    /** Now, and by how much that has grown since the middle. */
    rss: () => {
      const now = Object.entries(usageNow(processes));
      const grown = now.map(([name, { rssMb }]) => [name, rssMb - (atMiddle?.[name]?.rssMb ?? rssMb)]);
      return {
        rssMb: Object.fromEntries(now.map(([name, { rssMb }]) => [name, rssMb])),
        rssGrownMb: Object.fromEntries(grown) as ByName<number>,
      };
    },
  };
};
