import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The start time of a process, as the system prints it; undefined when there is no such process. Pid and start time identify a process. */
export const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return startByPs(pid);
  }
};

const startByPs = (pid: number): string | undefined => {
  if (process.platform === 'linux') return undefined;
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
};

/** The processes that a process started itself; none where the system has no /proc. */
export const childrenOf = (pid: number): number[] => {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return pids.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
};
