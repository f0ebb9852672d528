import { once } from 'node:events';
import { createServer } from 'node:net';

const maxPortsTried = 200;
/** By when who has chosen a port has opened it. */
const reservedMs = 120_000;

/** Whether a server could listen there; it listens on, for so long. */
const canListen = async (where: { readonly port: number; readonly host: string } | string, forMs = 0) => {
  const probe = createServer();
  try {
    probe.listen(where);
    await once(probe, 'listening');
  } catch {
    return false;
  }
  if (forMs === 0) probe.close();
  else setTimeout(() => probe.close(), forMs).unref();
  probe.unref();
  return true;
};

const isFree = (port: number): Promise<boolean> => canListen({ port, host: '127.0.0.1' });
/** Takes the port's name, an abstract socket of Linux: one process can have it, and has it no longer than it lives. */
const reserve = async (port: number): Promise<boolean> =>
  process.platform !== 'linux' || canListen(`\0gsb-port-${port}`, reservedMs);

const assigned = new Set<number>();
/** Below the ephemeral range, so that no outgoing connection takes a port that was free a moment ago. */
const anyPorts = { from: 10_500, count: 22_000 };

/** The wanted port, or the next free one on loopback; 0: any. This process never assigns the same port twice, and no other does until it is open. */
export const freePort = async (wanted: number): Promise<number> => {
  const first = wanted === 0 ? anyPorts.from + Math.floor(Math.random() * anyPorts.count) : wanted;
  for (let port = first; port < first + maxPortsTried; port += 1) {
    if (assigned.has(port) || !(await isFree(port)) || !(await reserve(port))) continue;
    assigned.add(port);
    return port;
  }
  throw new Error(`no free port from ${first} on`);
};
