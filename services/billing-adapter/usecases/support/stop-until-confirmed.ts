import type { Ports, StopOrder } from '../../ports.ts';
import { scheduleRetry } from './schedule-retry.ts';
import type { FailedCall } from './schedule-retry.ts';

/** So often a stop of a billing that the partner does not know is tried: its start may still be on its way. */
const triesWithoutBilling = 5;

type Outcome = Awaited<ReturnType<Ports['partner']['stop']>>;
type Call = Partial<FailedCall>;

/** A stop that finds no billing has a start that is still pending: the start is made first, under the same id, then the stop counts (I3). */
const startAndStop = async ({ partner }: Ports, order: StopOrder): Promise<Outcome> => {
  const { gameSessionId, played } = order;
  if (played === null) return { outcome: 'none' };
  const started = await partner.start({ gameSessionId, ...played });
  if (started.outcome === 'refused') return { outcome: 'stopped', playDurationSec: 0 };
  return started.outcome === 'unknown' ? started : partner.stop(order);
};

/** The first stop counts: what the partner has confirmed to this process is not asked again, unless billing may have started again since (D-60). */
const stopAtPartner = async (ports: Ports, order: StopOrder): Promise<Outcome> => {
  const confirmedSec = ports.stops.confirmedSec(order.gameSessionId);
  if (confirmedSec !== undefined && !order.again)
    return { outcome: 'stopped', playDurationSec: confirmedSec };
  const first = await ports.partner.stop(order);
  const last = first.outcome === 'none' ? await startAndStop(ports, order) : first;
  if (last.outcome === 'stopped') ports.stops.confirm(order.gameSessionId, last.playDurationSec);
  return last;
};

/**
 * Resolves to whether the stop has an outcome. A billing that has started again is stopped with the seconds that were confirmed, by whoever
 * makes the retry too.
 */
const stopOrRetry = async (ports: Ports, given: StopOrder, earlier: Call): Promise<boolean> => {
  const { gameSessionId, played } = given;
  const confirmedSec = ports.stops.confirmedSec(gameSessionId);
  const order = { ...given, playDurationSec: confirmedSec ?? given.playDurationSec };
  const last = await stopAtPartner(ports, order);
  const isNothing =
    last.outcome === 'none' && played === null && (earlier.attempt ?? 0) >= triesWithoutBilling;
  if (last.outcome !== 'stopped' && !isNothing) {
    await scheduleRetry(ports, { ...earlier, gameSessionId, call: { operation: 'stop', order } });
    return false;
  }
  const partnerPlayDurationSec = last.outcome === 'stopped' ? last.playDurationSec : 0;
  await ports.publish('billing.stopped', { gameSessionId, partnerPlayDurationSec }, { lingers: true });
  ports.stops.told(gameSessionId);
  return true;
};

/**
 * Stops a billing under its id; the first stop counts. Resolves to false when the outcome is unknown: then a retry is scheduled, and the
 * stop stays in hand.
 */
export const stopUntilConfirmed =
  (ports: Ports) =>
  async (order: StopOrder, earlier: Call = {}): Promise<boolean> => {
    let isInHand = false;
    ports.stops.take(order);
    try {
      const isDone = await stopOrRetry(ports, order, earlier);
      isInHand = !isDone;
      return isDone;
    } finally {
      if (!isInHand) ports.stops.release(order);
    }
  };

/** As `stopUntilConfirmed`, unless this very stop is in hand already: then that one goes on until it is confirmed (D-27). */
export const stopOnce =
  (ports: Ports) =>
  async (order: StopOrder): Promise<void> => {
    if (!ports.stops.isInHand(order)) await stopUntilConfirmed(ports)(order);
  };
