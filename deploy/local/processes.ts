import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';

const maxPortsTried = 200;

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

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
};

const assigned = new Set<number>();
/** Below the ephemeral range, so that no outgoing connection takes a port that was free a moment ago. */
const anyPorts = { from: 10_500, count: 22_000 };

/** The wanted port, or the next free one on loopback; 0: any. This process never assigns the same port twice. */
export const freePort = async (wanted: number): Promise<number> => {
  const first = wanted === 0 ? anyPorts.from + Math.floor(Math.random() * anyPorts.count) : wanted;
  for (let port = first; port < first + maxPortsTried; port += 1) {
    if (assigned.has(port) || !(await isFree(port))) continue;
    assigned.add(port);
    return port;
  }
  throw new Error(`no free port from ${first} on`);
};
