import type { Ports, StopOrder } from '../../ports.ts';
import { scheduleRetry } from './schedule-retry.ts';
import type { Failed } from './schedule-retry.ts';

/** Tries for which a start that nobody played on may still be on its way to the partner. */
const mostTriesOfNone = 5;

type Outcome = Awaited<ReturnType<Ports['partner']['stop']>>;

/** A stop that finds no billing: its start is still pending, so it is made first, under the same id; then the stop counts (I3). */
const startAndStop = async ({ partner }: Ports, order: StopOrder): Promise<Outcome> => {
  const { gameSessionId, played } = order;
  if (played === null) return { outcome: 'none' };
  const started = await partner.start({ gameSessionId, ...played });
  if (started.outcome === 'refused') return { outcome: 'stopped', playDurationSec: 0 };
  return started.outcome === 'unknown' ? started : partner.stop(order);
};

/** Stops a billing under its id; the first stop counts. Whatever has no known outcome is asked again until it has. */
export const stopUntilConfirmed =
  (ports: Ports) =>
  async (order: StopOrder, earlier: Partial<Failed> = {}): Promise<void> => {
    const { gameSessionId, played } = order;
    const first = await ports.partner.stop(order);
    const said = first.outcome === 'none' ? await startAndStop(ports, order) : first;
    const isNothing = said.outcome === 'none' && played === null && (earlier.attempt ?? 0) >= mostTriesOfNone;
    if (said.outcome !== 'stopped' && !isNothing)
      return scheduleRetry(ports, { ...earlier, gameSessionId, call: { operation: 'stop', order } });
    const partnerPlayDurationSec = said.outcome === 'stopped' ? said.playDurationSec : 0;
    return ports.publish('billing.stopped', { gameSessionId, partnerPlayDurationSec });
  };
