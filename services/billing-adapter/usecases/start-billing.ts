import type { EventData } from '#libs/contracts/events.ts';
import type { BillingOrder, Ports } from '../ports.ts';
import { scheduleRetry } from './schedule-retry.ts';

const orderOf = ({ ott }: EventData<'ott.accepted'>): BillingOrder => {
  if (ott.claim === null) throw new Error('an accepted token has a claim');
  const { gameSessionId, presentationId, providerUserId, claimedAtMs: startedAtMs } = ott.claim;
  const { tokenHash, cafeId, pcId, gameId, isPcCafe, launcherSessionId } = ott;
  const seat = { tokenHash, cafeId, pcId, gameId, isPcCafe, launcherSessionId };
  return { ...seat, gameSessionId, presentationId, providerUserId, startedAtMs };
};

/** Until when billing may start: as the claim says; a token that is spent has its session already, and only its caller's patience counts. */
const startableUntilMs = ({ ott }: EventData<'ott.accepted'>, deadlineMs: number | undefined): number =>
  (ott.state === 'claimed' ? ott.claim?.deadlineMs : undefined) ?? deadlineMs ?? Infinity;

/**
 * Starts billing under the game session's id. An unknown outcome starts the session with billing pending, and is asked again, unless the game
 * refuses that (D-12). A refusal is only said: an earlier hearing may have begun the session, and whoever keeps the token knows (I3).
 */
export const startBilling =
  (ports: Ports) =>
  async (accepted: EventData<'ott.accepted'>): Promise<void> => {
    const { partner, publish, clock, deadlineMs } = ports;
    const order = orderOf(accepted);
    if (clock() >= startableUntilMs(accepted, deadlineMs()))
      return publish('billing.refused', { order, reason: 'too_late' });
    const said = await partner.start(order);
    if (said.outcome === 'refused')
      return publish('billing.refused', { order, reason: 'insufficient_balance' });
    if (said.outcome === 'started') {
      return publish('billing.started', { order, pending: false, remainingSec: said.remainingSec });
    }
    if (accepted.ott.claim?.outagePolicy === 'refuse')
      return publish('billing.refused', { order, reason: 'partner_unavailable' });
    await scheduleRetry(ports, { gameSessionId: order.gameSessionId, call: { operation: 'start', order } });
    return publish('billing.started', { order, pending: true, remainingSec: null });
  };
