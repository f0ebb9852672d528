import type { Ports, StopOrder } from '../../ports.ts';
import { scheduleRetry } from './schedule-retry.ts';
import type { FailedCall } from './schedule-retry.ts';

/** So often a stop of a billing that the partner does not know is tried: its start may still be on its way. */
const triesWithoutBilling = 5;

type Outcome = Awaited<ReturnType<Ports['partner']['stop']>>;

/** A stop that finds no billing has a start that is still pending: the start is made first, under the same id, then the stop counts (I3). */
const startAndStop = async ({ partner }: Ports, order: StopOrder): Promise<Outcome> => {
  const { gameSessionId, played } = order;
  if (played === null) return { outcome: 'none' };
  const started = await partner.start({ gameSessionId, ...played });
  if (started.outcome === 'refused') return { outcome: 'stopped', playDurationSec: 0 };
  return started.outcome === 'unknown' ? started : partner.stop(order);
};

/** Stops a billing under its id; the first stop counts. Resolves to false when the outcome is unknown: then a retry is scheduled. */
export const stopUntilConfirmed =
  (ports: Ports) =>
  async (order: StopOrder, earlier: Partial<FailedCall> = {}): Promise<boolean> => {
    const { gameSessionId, played } = order;
    const first = await ports.partner.stop(order);
    const last = first.outcome === 'none' ? await startAndStop(ports, order) : first;
    const isNothing =
      last.outcome === 'none' && played === null && (earlier.attempt ?? 0) >= triesWithoutBilling;
    if (last.outcome !== 'stopped' && !isNothing) {
      await scheduleRetry(ports, { ...earlier, gameSessionId, call: { operation: 'stop', order } });
      return false;
    }
    const partnerPlayDurationSec = last.outcome === 'stopped' ? last.playDurationSec : 0;
    await ports.publish('billing.stopped', { gameSessionId, partnerPlayDurationSec });
    return true;
  };
