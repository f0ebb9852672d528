import type { EventData } from '#libs/contracts/events.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';
import { consumeOtt } from './consume-ott.ts';

/** Billing runs: the token is spent, and play that the partner has not confirmed counts as unbilled from its start (D-26). */
export const billingStarted = (ports: Ports) => {
  const consume = consumeOtt(ports);
  return async (started: EventData<'billing.started'>): Promise<void> => {
    const { cafeId, gameSessionId, startedAtMs } = started.order;
    if (started.pending) await ports.unbilled.begin(cafeId, gameSessionId, startedAtMs);
    await consume(started);
  };
};

/** The partner has said at last what became of the start: nothing of it is unbilled any more (D-26). */
export const billingConfirmed =
  ({ unbilled }: Ports) =>
  async ({ order: { cafeId, gameSessionId } }: EventData<'billing.confirmed'>): Promise<void> =>
    unbilled.end(cafeId, gameSessionId);

/** Past the cap a cafe's next player plays only if the partner answers, whatever the game's policy is (D-26). */
export const withinCap = async ({ unbilled, limits }: Ports, ott: Ott): Promise<Ott> => {
  if (ott.claim === null || ott.claim.outagePolicy === 'refuse') return ott;
  const sec = await unbilled.seconds(ott.cafeId, ott.claim.claimedAtMs);
  return sec < limits.unbilledCapSec ? ott : { ...ott, claim: { ...ott.claim, outagePolicy: 'refuse' } };
};
