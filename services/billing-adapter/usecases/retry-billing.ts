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

/** Whether a reminder has had the stop confirmed meanwhile, and the log knows. */
const isStopped = ({ stops }: Ports, { call, gameSessionId }: Retry): boolean =>
  call.operation === 'stop' && !call.order.again && stops.toldSince(gameSessionId, 0);

/** Waits for its turn, then makes the call once more; the log keeps the call until it has an outcome. */
export const retryBilling =
  (ports: Ports) =>
  async (retry: Retry): Promise<void> => {
    const { call, gameSessionId, attempt, firstFailedAtMs, dueAtMs } = retry;
    const again = call.operation === 'stop' ? call.order.again : undefined;
    const retried = { operation: call.operation, gameSessionId, attempt, firstFailedAtMs, again };
    if (!ports.retries.goesOn(retried)) return;
    if (isStopped(ports, retry)) {
      ports.retries.done(retried);
      return;
    }
    const latestMs = ports.clock() + longestPauseMs(attempt);
    await ports.retryTurn(call.operation, { dueAtMs: Math.min(dueAtMs, latestMs), firstFailedAtMs });
    const isDone =
      call.operation === 'start'
        ? await retryStart(ports, retry, call)
        : await stopUntilConfirmed(ports)(call.order, { earlier: retry });
    if (isDone) ports.retries.done(retried);
    else ports.retries.scheduled(retried);
  };
