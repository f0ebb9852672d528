import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';

const mostPorts = 200;

/** When a process began, as the system tells it; undefined when there is no such process. With the pid it names one process for good. */
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

const given = new Set<number>();
/** Below the ports that the system gives to outgoing connections: what is free now is not taken by one a moment later. */
const anyPorts = { from: 10_500, count: 22_000 };

/** The wanted port, or the next free one on loopback; 0: any. A port is given once by this process. */
export const freePort = async (wanted: number): Promise<number> => {
  const first = wanted === 0 ? anyPorts.from + Math.floor(Math.random() * anyPorts.count) : wanted;
  for (let port = first; port < first + mostPorts; port += 1) {
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port from ${first} on`);
};
