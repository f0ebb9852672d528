import type { EventData } from '#libs/contracts/events.ts';
import { mostAttempts, nextTryMs } from '../../core/retry-schedule.ts';
import type { Ports } from '../../ports.ts';

type Retry = EventData<'billing-retry.scheduled'>;

/** What is to be tried again, and what was tried before. */
export type Failed = Pick<Retry, 'call' | 'gameSessionId'> &
  Partial<Pick<Retry, 'attempt' | 'firstFailedAtMs'>>;

/** Puts a call that has no known outcome on the log, due after a pause; given up for good, it throws and becomes a dead letter. */
export const scheduleRetry = async ({ publish, clock, random }: Ports, failed: Failed): Promise<void> => {
  const nowMs = clock();
  const attempt = (failed.attempt ?? 0) + 1;
  if (attempt > mostAttempts)
    throw new Error(`${failed.call.operation}: no answer from the partner in ${attempt - 1} tries`);
  const { call, gameSessionId, firstFailedAtMs = nowMs } = failed;
  const dueAtMs = nextTryMs(attempt, nowMs, random());
  await publish('billing-retry.scheduled', { call, gameSessionId, attempt, firstFailedAtMs, dueAtMs });
};
