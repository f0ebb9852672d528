import type { Ports, StopOrder } from '../../ports.ts';
import { scheduleRetry } from './schedule-retry.ts';
import type { FailedCall } from './schedule-retry.ts';

/** So often a stop of a billing that the partner does not know is tried: its start may still be on its way. */
const triesWithoutBilling = 5;

type Outcome = Awaited<ReturnType<Ports['partner']['stop']>>;

/** How a stop is made, and what it comes from. */
interface StopCall {
  /** The tries before this one. */
  readonly earlier?: Partial<FailedCall>;
  /** It is a reminder after the first: they come until the partner has confirmed (D-06), and where it fails the next one tries again (D-27). */
  readonly isLaterReminder?: boolean;
  /** Called when the partner is needed no more, and its outcome is only to be published. */
  readonly onDecided?: () => void;
}

/** What became of a stop: it is confirmed, its retry is on the log, or its next reminder makes it. */
type Fate = 'confirmed' | 'retried' | 'reminded';

/** A stop that finds no billing has a start that is still pending: the start is made first, under the same id, then the stop counts (I3). */
const startAndStop = async ({ partner }: Ports, order: StopOrder): Promise<Outcome> => {
  const { gameSessionId, played } = order;
  if (played === null) return { outcome: 'none' };
  const started = await partner.start({ gameSessionId, ...played });
  if (started.outcome === 'refused') return { outcome: 'stopped', playDurationSec: 0 };
  return started.outcome === 'unknown' ? started : partner.stop(order);
};

/** A stop with the seconds of the first that counted, as far as this process knows of one. */
const asConfirmed = ({ stops }: Ports, order: StopOrder): StopOrder => ({
  ...order,
  playDurationSec: stops.confirmedSec(order.gameSessionId) ?? order.playDurationSec,
});

/**
 * The first stop counts: what the partner has confirmed to this process is not asked again, and a billing that has started again since is stopped
 * with the same seconds (D-60).
 */
const stopAtPartner = async (ports: Ports, given: StopOrder): Promise<Outcome> => {
  const order = asConfirmed(ports, given);
  const { gameSessionId, playDurationSec, again } = order;
  if (!again && ports.stops.confirmedSec(gameSessionId) !== undefined)
    return { outcome: 'stopped', playDurationSec };
  const first = await ports.partner.stop(order);
  const last = first.outcome === 'none' ? await startAndStop(ports, order) : first;
  if (last.outcome === 'stopped') ports.stops.confirm(gameSessionId, last.playDurationSec);
  return last;
};

const stopOrRetry = async (ports: Ports, order: StopOrder, how: StopCall): Promise<Fate> => {
  const { gameSessionId, played } = order;
  const { earlier, isLaterReminder, onDecided } = how;
  const last = await stopAtPartner(ports, order);
  const isNothing =
    last.outcome === 'none' && played === null && (earlier?.attempt ?? 0) >= triesWithoutBilling;
  if (last.outcome !== 'stopped' && !isNothing) {
    if (isLaterReminder) return 'reminded';
    // Another process may make the retry, and know of no confirmation.
    const call = { operation: 'stop' as const, order: asConfirmed(ports, order) };
    await scheduleRetry(ports, { ...earlier, gameSessionId, call });
    return 'retried';
  }
  onDecided?.();
  const partnerPlayDurationSec = last.outcome === 'stopped' ? last.playDurationSec : 0;
  await ports.publish('billing.stopped', { gameSessionId, partnerPlayDurationSec }, { lingers: true });
  ports.stops.told(gameSessionId);
  return 'confirmed';
};

/**
 * Stops a billing under its id; the first stop counts. Resolves to whether it is confirmed. Where it is not, a retry is scheduled, and the stop
 * stays in hand, unless it is a later reminder, which another one follows.
 */
export const stopUntilConfirmed =
  (ports: Ports) =>
  async (order: StopOrder, how: StopCall = {}): Promise<boolean> => {
    let fate: Fate | undefined;
    ports.stops.take(order);
    try {
      fate = await stopOrRetry(ports, order, how);
      return fate === 'confirmed';
    } finally {
      if (fate !== 'retried') ports.stops.release(order);
    }
  };

/** As `stopUntilConfirmed`, unless this very stop is in hand already: then that one goes on until it is confirmed (D-27). */
export const stopOnce =
  (ports: Ports) =>
  async (order: StopOrder, how?: StopCall): Promise<void> => {
    if (!ports.stops.isInHand(order)) await stopUntilConfirmed(ports)(order, how);
  };
