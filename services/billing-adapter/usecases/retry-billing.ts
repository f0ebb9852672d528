import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { scheduleRetry } from './schedule-retry.ts';
import { stopBilling } from './stop-billing.ts';

type Retry = EventData<'billing-retry.scheduled'>;

/** A start that was pending: refused now, the balance is used up; started, the session simply goes on (D-12). */
const startAgain = async (
  ports: Ports,
  retry: Retry,
  call: Extract<Retry['call'], { operation: 'start' }>,
) => {
  const { gameSessionId } = retry;
  const said = await ports.partner.start(call.order);
  if (said.outcome === 'unknown') return scheduleRetry(ports, retry);
  await ports.publish('billing.confirmed', { order: call.order, outcome: said.outcome });
  if (said.outcome === 'refused') return ports.publish('billing.exhausted', { gameSessionId });
  return ports.publish('billing.renewed', { gameSessionId, remainingSec: said.remainingSec });
};

/** Waits until the retry is due, then makes the call once more. The log remembers it until it is done. */
export const retryBilling =
  (ports: Ports) =>
  async (retry: Retry): Promise<void> => {
    const { call, dueAtMs } = retry;
    await ports.turn(call.operation, dueAtMs);
    if (call.operation === 'start') return startAgain(ports, retry, call);
    return stopBilling(ports)(call.order, retry);
  };
