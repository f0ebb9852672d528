import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { scheduleOf } from '../bench/schedule.ts';
import type { Running } from './attacks.ts';
import { createTally } from './tally.ts';

interface SocketsOrder {
  readonly url: string;
  /** How many are open at a time; one that is closed makes room for another. */
  readonly count: number;
  /** How many are opened a second. */
  readonly perSec: number;
  readonly first: string;
  /** Sent once a second on each. */
  readonly drip?: string;
  /** Whether each is reset after what it sent first. */
  readonly resets?: boolean;
}

const everyMs = 1_000;
const tickMs = 10;

/** Connections that never finish what they began to say. */
export const holdSockets = ({ url, count, perSec, first, drip, resets }: SocketsOrder): Running => {
  const { hostname, port } = new URL(url);
  const tally = createTally();
  const open = new Set<Socket>();
  let stopped = false;
  const begin = (): void => {
    if (stopped) return;
    const socket = connect(Number(port), hostname);
    let status = 'closed';
    open.add(socket);
    tally.sent();
    socket.on('data', (data) => (status = /^HTTP\/1.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? status));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      tally.ended(status);
    });
    socket.write(first, () => resets === true && setImmediate(() => socket.resetAndDestroy()));
  };
  const schedule = scheduleOf(performance.now(), perSec, Infinity);
  let made = 0;
  const opening = setInterval(() => {
    for (const due = schedule.dueBy(performance.now()); made < due; made += 1) if (open.size < count) begin();
  }, tickMs);
  const timer = setInterval(() => {
    if (drip === undefined) return;
    for (const socket of open) socket.write(drip);
  }, everyMs);
  return {
    stop: async () => {
      stopped = true;
      clearInterval(opening);
      clearInterval(timer);
      for (const socket of open) socket.destroy();
      await tally.settled();
      return tally.result();
    },
  };
};
