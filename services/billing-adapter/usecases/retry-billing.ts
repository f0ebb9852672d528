import type { EventData } from '#libs/contracts/events.ts';
import { createActiveRetries } from '../core/active-retries.ts';
import type { Ports } from '../ports.ts';
import { scheduleRetry } from './support/schedule-retry.ts';
import { stopUntilConfirmed } from './support/stop-until-confirmed.ts';

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

/** Waits for its turn, then makes the call once more. The log remembers it until it is done; of a session's lines the oldest goes on. */
export const retryBilling = (ports: Ports) => {
  const lines = createActiveRetries();
  return async (retry: Retry): Promise<void> => {
    const { call, gameSessionId, firstFailedAtMs, dueAtMs } = retry;
    const line = { operation: call.operation, gameSessionId, firstFailedAtMs };
    if (!lines.goesOn(line)) return;
    await ports.turn(call.operation, { dueAtMs, firstFailedAtMs });
    let isOver = true;
    const watched: Ports = {
      ...ports,
      publish: (name, data) => {
        if (name === 'billing-retry.scheduled') isOver = false;
        return ports.publish(name, data);
      },
    };
    if (call.operation === 'start') await startAgain(watched, retry, call);
    else await stopUntilConfirmed(watched)(call.order, retry);
    if (isOver) lines.done(line);
  };
};
