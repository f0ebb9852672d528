import { readdirSync, readFileSync } from 'node:fs';
import { kubectl } from './programs.ts';
import { partsOf } from './pods.ts';
import type { Pod } from './pods.ts';

const isOf = (pid: string, containerId: string): boolean => {
  try {
    const runs = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('services/');
    return runs && readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(containerId);
  } catch {
    return false;
  }
};

/** Kills the process of a pod where it can be seen from here; elsewhere has the kubelet kill it without grace. Says which. */
export const killed = async (pod: Pod): Promise<string> => {
  const { containerId } = partsOf(pod);
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isOf(name, containerId));
  if (containerId !== '' && pid !== undefined) {
    process.kill(Number(pid), 'SIGKILL');
    return 'SIGKILL';
  }
  await kubectl(['delete', 'pod', pod.metadata.name, '--grace-period=0', '--force']);
  return 'deleted without grace';
};
