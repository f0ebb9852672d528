import { once } from 'node:events';
import { createServer } from 'node:net';
import { reservePort } from './reserve-port.ts';

const maxPortsTried = 200;

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

/** The wanted port, or the next free one on loopback; 0: any. No two processes that live are given the same port, and this one never twice. */
export const freePort = async (wanted: number): Promise<number> => {
  const first = wanted === 0 ? anyPorts.from + Math.floor(Math.random() * anyPorts.count) : wanted;
  for (let port = first; port < first + maxPortsTried; port += 1) {
    if (assigned.has(port) || !(await isFree(port)) || !reservePort(port)) continue;
    assigned.add(port);
    return port;
  }
  throw new Error(`no free port from ${first} on`);
};
