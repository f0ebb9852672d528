import type { EventData } from '#libs/contracts/events.ts';
import { maxAttempts, nextTryMs } from '../../core/retry-schedule.ts';
import type { Ports } from '../../ports.ts';

type Retry = EventData<'billing-retry.scheduled'>;

/** A call to the partner without a known outcome, and the tries before it. */
export type FailedCall = Pick<Retry, 'call' | 'gameSessionId'> &
  Partial<Pick<Retry, 'attempt' | 'firstFailedAtMs'>>;

/** Schedules a retry on the log, after a pause. After the last attempt it throws, and the message becomes a dead letter. */
export const scheduleRetry = async ({ publish, clock, random }: Ports, failed: FailedCall): Promise<void> => {
  const nowMs = clock();
  const attempt = (failed.attempt ?? 0) + 1;
  if (attempt > maxAttempts)
    throw new Error(`${failed.call.operation}: no answer from the partner in ${attempt - 1} tries`);
  const { call, gameSessionId, firstFailedAtMs = nowMs } = failed;
  const dueAtMs = nextTryMs(attempt, nowMs, random());
  await publish('billing-retry.scheduled', { call, gameSessionId, attempt, firstFailedAtMs, dueAtMs });
};
