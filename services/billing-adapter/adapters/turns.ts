import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#libs/kernel/clock.ts';
import type { Ports } from '../ports.ts';
import type { PartnerHttp } from './partner-http.ts';

interface TurnOptions {
  readonly http: Pick<PartnerHttp, 'onRecovered'>;
  /** Calls in a second, at most. */
  readonly perSecond: number;
  readonly clock: Clock;
}

type Waiting = Readonly<Record<'start' | 'stop', Set<() => void>>>;

/** Resolves when the retry is due, or when the partner answers again, whichever is first. */
const dueOr = async (early: Set<() => void>, pauseMs: number): Promise<void> => {
  const over = new AbortController();
  const recovered = () => over.abort();
  early.add(recovered);
  await sleep(Math.max(0, pauseMs), undefined, { ref: false, signal: over.signal }).catch(() => undefined);
  early.delete(recovered);
};

/** Turns for retries: each when it is due, all as soon as the partner answers again, one after another in the order of the log (D-27). */
export const createTurns = ({ http, perSecond, clock }: TurnOptions): Ports['turn'] => {
  const waiting: Waiting = { start: new Set(), stop: new Set() };
  for (const operation of ['start', 'stop'] as const) {
    http.onRecovered(operation, () => waiting[operation].forEach((wake) => wake()));
  }
  let nextFreeMs = 0;
  return async (operation, dueAtMs) => {
    await dueOr(waiting[operation], dueAtMs - clock());
    const slotMs = Math.max(clock(), nextFreeMs);
    nextFreeMs = slotMs + 1_000 / perSecond;
    await sleep(Math.max(0, slotMs - clock()), undefined, { ref: false });
  };
};
