import { createPool } from '../bench/http/pool.ts';
import { scheduleOf } from '../bench/schedule.ts';
import type { Running } from './attacks.ts';
import { createTally } from './tally.ts';

const tickMs = 10;
const anHourSec = 3_600;

/** Requests at a fixed rate, whatever becomes of them. */
export const flood = (order: { url: string; ratePerSec: number; text: () => string }): Running => {
  const pool = createPool({ url: order.url, connections: 64, mostConnections: 512, timeoutMs: 12_000 });
  const tally = createTally();
  const schedule = scheduleOf(performance.now(), order.ratePerSec, anHourSec);
  let sent = 0;
  const timer = setInterval(() => {
    for (const due = schedule.dueBy(performance.now()); sent < due; sent += 1) {
      tally.sent();
      pool.send(order.text(), (outcome) =>
        tally.ended(typeof outcome === 'string' ? outcome : String(outcome.status)),
      );
    }
  }, tickMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await tally.settled();
      pool.close();
      return tally.result();
    },
  };
};
