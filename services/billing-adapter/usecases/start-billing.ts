import type { EventData } from '#libs/contracts/events.ts';
import type { BillingOrder, Ports, StopOrder } from '../ports.ts';
import { scheduleRetry } from './schedule-retry.ts';
import { stopBilling } from './stop-billing.ts';

const orderOf = ({ ott }: EventData<'ott.accepted'>): BillingOrder => {
  if (ott.claim === null) throw new Error('an accepted token has a claim');
  const { gameSessionId, presentationId, providerUserId, claimedAtMs: startedAtMs } = ott.claim;
  const { tokenHash, cafeId, pcId, gameId, isPcCafe, launcherSessionId } = ott;
  const seat = { tokenHash, cafeId, pcId, gameId, isPcCafe, launcherSessionId };
  return { ...seat, gameSessionId, presentationId, providerUserId, startedAtMs };
};

const nothingPlayed = ({ gameSessionId, startedAtMs }: BillingOrder, reason: string): StopOrder => ({
  ...{ gameSessionId, reason, stoppedAtMs: startedAtMs, playDurationSec: 0, played: null },
});

type Started = Exclude<Awaited<ReturnType<Ports['partner']['start']>>, { outcome: 'refused' }>;

/** Billing runs, or is pending until the partner has said so (D-12). */
const begin = async (ports: Ports, order: BillingOrder, said: Started): Promise<void> => {
  const { gameSessionId } = order;
  const pending = said.outcome === 'unknown';
  if (pending) await scheduleRetry(ports, { gameSessionId, call: { operation: 'start', order } });
  const remainingSec = pending ? null : said.remainingSec;
  await ports.publish('billing.started', { order, pending, remainingSec });
};

/**
 * Nobody waits for this verify any more, or it is heard again by who took over from a process that died. The partner knows which: a billing
 * that it has begun before has a session; a new one is stopped before it costs a second, and the token goes back.
 */
const tooLate = async (ports: Ports, order: BillingOrder): Promise<void> => {
  const said = await ports.partner.start(order);
  const mayPlay = said.outcome === 'unknown' || (said.outcome === 'started' && !said.isNew);
  if (mayPlay) return begin(ports, order, said);
  const stop = nothingPlayed(order, 'too_late');
  if (said.outcome === 'started') await stopBilling(ports)(stop);
  await ports.publish('billing.refused', { order, reason: 'too_late' });
};

/** The game does not play on credit: a start that may have been made all the same is stopped until that is certain, and the token goes back (D-12). */
const refuse = async (ports: Ports, order: BillingOrder): Promise<void> => {
  const { gameSessionId } = order;
  const stop = nothingPlayed(order, 'partner_unavailable');
  await scheduleRetry(ports, { gameSessionId, call: { operation: 'stop', order: stop } });
  await ports.publish('billing.refused', { order, reason: 'partner_unavailable' });
};

/** Starts billing under the game session's id. An unknown outcome starts the session with billing pending, and is asked again, unless the game refuses that (D-12). */
export const startBilling =
  (ports: Ports) =>
  async (accepted: EventData<'ott.accepted'>): Promise<void> => {
    const { partner, publish, clock, deadlineMs } = ports;
    const order = orderOf(accepted);
    if (clock() >= (deadlineMs() ?? Infinity)) return tooLate(ports, order);
    const said = await partner.start(order);
    if (said.outcome === 'refused')
      return publish('billing.refused', { order, reason: 'insufficient_balance' });
    if (said.outcome === 'unknown' && accepted.ott.claim?.outagePolicy === 'refuse')
      return refuse(ports, order);
    return begin(ports, order, said);
  };
