import type { EventMeta, RequestAttributes } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { BillingOrder, Ports, StartRefusal } from '../ports.ts';
import { isTooOld } from '../core/too-old.ts';
import { scheduleRetry } from './support/schedule-retry.ts';

type Accepted = EventData<'ott.accepted'>;

const orderOf = ({ ott }: Accepted): BillingOrder => {
  if (ott.claim === null) throw new Error('an accepted token has a claim');
  const { gameSessionId, presentationId, providerUserId, claimedAtMs: startedAtMs } = ott.claim;
  const { tokenHash, cafeId, pcId, gameId, isPcCafe, launcherSessionId } = ott;
  const seat = { tokenHash, cafeId, pcId, gameId, isPcCafe, launcherSessionId };
  return { ...seat, gameSessionId, presentationId, providerUserId, startedAtMs };
};

type Started = Exclude<Awaited<ReturnType<Ports['partner']['start']>>, { outcome: 'refused' }>;

/** Billing has started, or is pending until the partner confirms (D-12). */
const publishStarted = async (
  ports: Ports,
  order: BillingOrder,
  start: Started,
  request: RequestAttributes | undefined,
): Promise<void> => {
  const { gameSessionId } = order;
  const pending = start.outcome === 'unknown';
  if (pending) await scheduleRetry(ports, { gameSessionId, call: { operation: 'start', order } });
  const remainingSec = pending ? null : start.remainingSec;
  await ports.publish('billing.started', { order, pending, remainingSec }, { request });
};

/** The start that was made, or why it was refused. */
const startOrRefuse = async (
  { partner, clock, together }: Ports,
  order: BillingOrder,
  accepted: Accepted,
): Promise<{ refusal: StartRefusal } | { start: Started }> => {
  if (accepted.overdue || isTooOld(order.startedAtMs, clock())) return { refusal: 'too_late' };
  const start = await together(() => partner.start(order));
  if (start.outcome === 'refused') return { refusal: 'insufficient_balance' };
  const needsAnswer = accepted.ott.claim?.outagePolicy === 'refuse';
  return start.outcome === 'unknown' && needsAnswer ? { refusal: 'partner_unavailable' } : { start };
};

/**
 * Starts billing under the game session's id. An unknown outcome starts the session with billing pending, and the start is retried, unless
 * the game refuses that (D-12). A refusal is only published: where a start of the same order is before it on the log, the session has begun
 * and the refusal changes nothing; where it comes after it, no session begins (D-34).
 */
export const startBilling =
  (ports: Ports) =>
  async (accepted: Accepted, { request }: EventMeta): Promise<void> => {
    const order = orderOf(accepted);
    const { gameSessionId } = order;
    const refused = ports.refusals.of(gameSessionId);
    const result = refused ? { refusal: refused } : await startOrRefuse(ports, order, accepted);
    if ('start' in result) return publishStarted(ports, order, result.start, request);
    ports.refusals.keep(gameSessionId, result.refusal);
    return ports.publish('billing.refused', { order, reason: result.refusal }, { request });
  };
