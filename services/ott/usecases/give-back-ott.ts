import type { EventData } from '#libs/contracts/events.ts';
import { advance } from '../core/ott.ts';
import type { Ports } from '../ports.ts';
import { changeOtt } from './support/change-ott.ts';

/**
 * Billing was not possible: the claim is given back, and the token lives on (D-03). One that billing had started for all the same is spent:
 * then an earlier hearing was answered, and this one says nothing. Said again when it is heard again, so that the billing is stopped for certain.
 */
export const giveBackOtt =
  (ports: Ports) =>
  async ({ order, reason }: EventData<'billing.refused'>): Promise<void> => {
    const { gameSessionId, tokenHash } = order;
    const freed = await changeOtt(ports, tokenHash, (ott) =>
      ott.claim?.gameSessionId === gameSessionId ? advance(ott, 'giveBack', ports.limits) : ott,
    );
    // Where the balance was the reason, the partner has said itself that it bills nothing.
    const abandoned = reason === 'insufficient_balance' ? null : gameSessionId;
    if (freed) await ports.publish('ott.given-back', { ott: freed, gameSessionId: abandoned });
  };
