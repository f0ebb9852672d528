import type { EventMeta, RequestAttributes } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { BillingOrder, Ports, StartRefusal } from '../ports.ts';
import { scheduleRetry } from './support/schedule-retry.ts';

type Accepted = EventData<'ott.accepted'>;

const orderOf = ({ ott }: Accepted): BillingOrder => {
  if (ott.claim === null) throw new Error('an accepted token has a claim');
  const { gameSessionId, presentationId, providerUserId, claimedAtMs: startedAtMs } = ott.claim;
  const { tokenHash, cafeId, pcId, gameId, isPcCafe, launcherSessionId } = ott;
  const seat = { tokenHash, cafeId, pcId, gameId, isPcCafe, launcherSessionId };
  return { ...seat, gameSessionId, presentationId, providerUserId, startedAtMs };
};

/** Until when billing may start: the claim's deadline; for a consumed token, whose session exists, only that of the waiting caller. */
const startDeadlineMs = ({ ott }: Accepted, callerMs: number | undefined): number =>
  (ott.state === 'claimed' ? ott.claim?.deadlineMs : undefined) ?? callerMs ?? Infinity;

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
  { partner, clock }: Ports,
  order: BillingOrder,
  accepted: Accepted,
  callerMs: number | undefined,
): Promise<{ refusal: StartRefusal } | { start: Started }> => {
  if (clock() >= startDeadlineMs(accepted, callerMs)) return { refusal: 'too_late' };
  const start = await partner.start(order);
  if (start.outcome === 'refused') return { refusal: 'insufficient_balance' };
  const needsAnswer = accepted.ott.claim?.outagePolicy === 'refuse';
  return start.outcome === 'unknown' && needsAnswer ? { refusal: 'partner_unavailable' } : { start };
};

/**
 * Starts billing under the game session's id. An unknown outcome starts the session with billing pending, and the start is retried, unless
 * the game refuses that (D-12). A refusal is only published: an earlier delivery may have begun the session, which ott knows (I3).
 */
export const startBilling =
  (ports: Ports) =>
  async (accepted: Accepted, { request }: EventMeta): Promise<void> => {
    const order = orderOf(accepted);
    const { gameSessionId } = order;
    const refused = ports.refusals.of(gameSessionId);
    const result = refused
      ? { refusal: refused }
      : await startOrRefuse(ports, order, accepted, request?.deadlineMs);
    if ('start' in result) return publishStarted(ports, order, result.start, request);
    ports.refusals.keep(gameSessionId, result.refusal);
    return ports.publish('billing.refused', { order, reason: result.refusal }, { request });
  };
