import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Ports } from '../ports.ts';
import type { PartnerTransport } from './partner-transport.ts';

interface RetryRateLimiterOptions {
  readonly http: Pick<PartnerTransport, 'onRecovered'>;
  /** Maximum of calls a second, of each operation. */
  readonly perSecond: number;
  readonly clock: Clock;
}

type Wakes = Readonly<Record<'start' | 'stop', Set<() => void>>>;

/** Resolves when the retry is due, or as soon as the partner has recovered. */
const dueOrRecovered = async (wakes: Set<() => void>, pauseMs: number): Promise<void> => {
  const waking = new AbortController();
  const recovered = () => waking.abort();
  wakes.add(recovered);
  await sleep(Math.max(0, pauseMs), undefined, { ref: false, signal: waking.signal }).catch(() => undefined);
  wakes.delete(recovered);
};

/** Lets the waiting calls through one after another, the oldest first. */
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

/** Limits the rate of retries: each goes when it is due, all as soon as the partner has recovered, the oldest first (D-27). */
export const createRetryRateLimiter = ({
  http,
  perSecond,
  clock,
}: RetryRateLimiterOptions): Ports['retryTurn'] => {
  const wakes: Wakes = { start: new Set(), stop: new Set() };
  for (const operation of ['start', 'stop'] as const) {
    http.onRecovered(operation, () => wakes[operation].forEach((wake) => wake()));
  }
  const next = { start: createQueue(1_000 / perSecond), stop: createQueue(1_000 / perSecond) };
  return async (operation, { dueAtMs, firstFailedAtMs }) => {
    await dueOrRecovered(wakes[operation], dueAtMs - clock());
    await next[operation](firstFailedAtMs);
  };
};
