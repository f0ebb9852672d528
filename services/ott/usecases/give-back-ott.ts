import type { EventData } from '#libs/contracts/events.ts';
import { giveBack } from '../core/claim.ts';
import type { Ports } from '../ports.ts';

/**
 * Billing was not possible: the claim is given back, and the token can be presented again (D-03). A token whose billing has started stays
 * consumed, even if an older message arrives later. A redelivered event publishes again, so that the billing is stopped for certain.
 */
export const giveBackOtt =
  ({ otts, limits, publish }: Ports) =>
  async ({ order, reason }: EventData<'billing.refused'>): Promise<void> => {
    const { gameSessionId, tokenHash, startedAtMs } = order;
    const { after } = await otts.update(
      tokenHash,
      ({ record }) => record && giveBack(record, gameSessionId, limits),
    );
    // A partner that refused for the balance bills nothing, so there is nothing to stop.
    const toStop = reason === 'insufficient_balance' ? null : gameSessionId;
    if (after) await publish('ott.given-back', { ott: after, gameSessionId: toStop, startedAtMs });
  };
