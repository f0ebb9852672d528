import type { Ports, StopOrder } from '../ports.ts';
import { scheduleRetry } from './schedule-retry.ts';
import type { Failed } from './schedule-retry.ts';

/** Tries for which a billing that the partner does not know may still be on its way there (a start that is pending). */
const mostTriesOfNone = 5;

/** Stops a billing under its id; the first stop counts. Whatever has no known outcome is asked again until it has. */
export const stopBilling =
  (ports: Ports) =>
  async (order: StopOrder, earlier: Partial<Failed> = {}): Promise<void> => {
    const { gameSessionId } = order;
    const said = await ports.partner.stop(order);
    if (said.outcome === 'stopped') {
      return ports.publish('billing.stopped', {
        gameSessionId,
        partnerPlayDurationSec: said.playDurationSec,
      });
    }
    if (said.outcome === 'none' && (earlier.attempt ?? 0) >= mostTriesOfNone) {
      return ports.publish('billing.stopped', { gameSessionId, partnerPlayDurationSec: 0 });
    }
    return scheduleRetry(ports, { ...earlier, gameSessionId, call: { operation: 'stop', order } });
  };
