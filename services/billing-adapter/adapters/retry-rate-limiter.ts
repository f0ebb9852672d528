import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Ports } from '../ports.ts';
import type { PartnerTransport } from './partner-transport.ts';

interface RetryRateLimiterOptions {
  readonly http: Pick<PartnerTransport, 'onRecovered'>;
  /** Calls in a second, at most. */
  readonly perSecond: number;
  readonly clock: Clock;
}

type Wakes = Readonly<Record<'start' | 'stop', Set<() => void>>>;

/** Resolves when the retry is due, or when the partner answers again, whichever is first. */
const dueOr = async (early: Set<() => void>, pauseMs: number): Promise<void> => {
  const over = new AbortController();
  const recovered = () => over.abort();
  early.add(recovered);
  await sleep(Math.max(0, pauseMs), undefined, { ref: false, signal: over.signal }).catch(() => undefined);
  early.delete(recovered);
};

/** Lets one through after another, the oldest first of those that wait. */
const createQueue = (pauseMs: number) => {
  const waiting: { readonly sinceMs: number; readonly go: () => void }[] = [];
  let running = false;
  const run = async (): Promise<void> => {
    running = true;
    await sleep(0);
    while (waiting.length > 0) {
      const oldest = waiting.reduce((first, each) => (each.sinceMs < first.sinceMs ? each : first));
      waiting.splice(waiting.indexOf(oldest), 1);
      oldest.go();
      await sleep(pauseMs, undefined, { ref: false });
    }
    running = false;
  };
  return (sinceMs: number): Promise<void> =>
    new Promise((go) => {
      waiting.push({ sinceMs, go });
      if (!running) void run();
    });
};

/** Turns for retries: each when it is due, all as soon as the partner answers again, at a bounded rate and the oldest first (D-27). */
export const createRetryRateLimiter = ({
  http,
  perSecond,
  clock,
}: RetryRateLimiterOptions): Ports['retryTurn'] => {
  const wakes: Wakes = { start: new Set(), stop: new Set() };
  for (const operation of ['start', 'stop'] as const) {
    http.onRecovered(operation, () => wakes[operation].forEach((wake) => wake()));
  }
  const next = createQueue(1_000 / perSecond);
  return async (operation, { dueAtMs, firstFailedAtMs }) => {
    await dueOr(wakes[operation], dueAtMs - clock());
    await next(firstFailedAtMs);
  };
};
