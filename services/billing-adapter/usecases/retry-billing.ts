import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { longestPauseMs } from '../core/retry-schedule.ts';
import { scheduleRetry } from './support/schedule-retry.ts';
import { stopUntilConfirmed } from './support/stop-until-confirmed.ts';

type Retry = EventData<'billing-retry.scheduled'>;
type Start = Extract<Retry['call'], { operation: 'start' }>;

/** Retries a pending start. Refused: the balance is used up. Started: the session goes on (D-12). Resolves to whether it has an outcome. */
const retryStart = async (ports: Ports, retry: Retry, { order }: Start): Promise<boolean> => {
  const { gameSessionId } = retry;
  const start = await ports.partner.start(order);
  if (start.outcome === 'unknown') {
    await scheduleRetry(ports, retry);
    return false;
  }
  await ports.publish('billing.confirmed', { order, outcome: start.outcome });
  if (start.outcome === 'refused') await ports.publish('billing.exhausted', { gameSessionId });
  else
    await ports.publish('billing.renewed', {
      gameSessionId,
      remainingSec: start.remainingSec,
      recharges: true,
    });
  return true;
};

/**
 * Whether a reminder has had the stop of a session confirmed meanwhile, and the log knows. Nothing reminds of a claim that was given back, whose
 * billing may have been started since it was confirmed that there is none (D-03).
 */
const isStopped = ({ stops }: Ports, { call, gameSessionId }: Retry): boolean =>
  call.operation === 'stop' &&
  !call.order.again &&
  call.order.played !== null &&
  stops.toldSince(gameSessionId, 0);

/** Resolves to whether the call has an outcome. */
const callAgain = async (ports: Ports, retry: Retry): Promise<boolean> => {
  const { call } = retry;
  if (isStopped(ports, retry)) return true;
  return call.operation === 'start'
    ? retryStart(ports, retry, call)
    : stopUntilConfirmed(ports)(call.order, { earlier: retry });
};

/** Waits for its turn, then makes the call once more; the log keeps the call until it has an outcome. */
export const retryBilling =
  (ports: Ports) =>
  async (retry: Retry): Promise<void> => {
    const { call, gameSessionId, attempt, firstFailedAtMs, dueAtMs } = retry;
    const again = call.operation === 'stop' ? call.order.again : undefined;
    const retried = { operation: call.operation, gameSessionId, attempt, firstFailedAtMs, again };
    if (!ports.retries.goesOn(retried)) return;
    const latestMs = ports.clock() + longestPauseMs(attempt);
    const when = { dueAtMs: Math.min(dueAtMs, latestMs), firstFailedAtMs };
    if (!isStopped(ports, retry)) await ports.retryTurn(call.operation, when);
    if (await callAgain(ports, retry)) ports.retries.done(retried);
    else ports.retries.scheduled(retried);
  };
