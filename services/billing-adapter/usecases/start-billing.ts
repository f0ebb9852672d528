import type { EventData } from '#libs/contracts/events.ts';
import { createRecentRefusals } from '../core/recent-refusals.ts';
import type { StartRefusal } from '../core/recent-refusals.ts';
import type { BillingOrder, Ports } from '../ports.ts';
import { scheduleRetry } from './support/schedule-retry.ts';

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

type Begun = Exclude<Awaited<ReturnType<Ports['partner']['start']>>, { outcome: 'refused' }>;

/** Billing runs, or is pending until the partner has said so (D-12). */
const begin = async (ports: Ports, order: BillingOrder, said: Begun): Promise<void> => {
  const { gameSessionId } = order;
  const pending = said.outcome === 'unknown';
  if (pending) await scheduleRetry(ports, { gameSessionId, call: { operation: 'start', order } });
  const remainingSec = pending ? null : said.remainingSec;
  await ports.publish('billing.started', { order, pending, remainingSec });
};

/** Why a start is not made, or what became of it. */
const outcomeOf = async (
  { partner, clock, deadlineMs }: Ports,
  order: BillingOrder,
  accepted: EventData<'ott.accepted'>,
): Promise<{ refused: StartRefusal } | { said: Begun }> => {
  if (clock() >= startableUntilMs(accepted, deadlineMs())) return { refused: 'too_late' };
  const said = await partner.start(order);
  if (said.outcome === 'refused') return { refused: 'insufficient_balance' };
  const isBarred = said.outcome === 'unknown' && accepted.ott.claim?.outagePolicy === 'refuse';
  return isBarred ? { refused: 'partner_unavailable' } : { said };
};

/**
 * Starts billing under the game session's id. An unknown outcome starts the session with billing pending, and is asked again, unless the game
 * refuses that (D-12). A refusal is only said: an earlier hearing may have begun the session, and whoever keeps the token knows (I3).
 */
export const startBilling = (ports: Ports) => {
  const refusals = createRecentRefusals();
  return async (accepted: EventData<'ott.accepted'>): Promise<void> => {
    const order = orderOf(accepted);
    const { gameSessionId } = order;
    const earlier = refusals.of(gameSessionId);
    const outcome = earlier ? { refused: earlier } : await outcomeOf(ports, order, accepted);
    if ('said' in outcome) return begin(ports, order, outcome.said);
    refusals.keep(gameSessionId, outcome.refused);
    return ports.publish('billing.refused', { order, reason: outcome.refused });
  };
};
