import type { EventData } from '#libs/contracts/events.ts';
import { advance } from '../core/ott.ts';
import type { Ports } from '../ports.ts';
import { changeOtt } from './change-ott.ts';

/** Billing was not possible: the presentation that holds the claim gives it back, and the token lives on (D-03). */
export const giveBackOtt =
  (ports: Ports) =>
  async ({ order }: EventData<'billing.refused'>): Promise<void> => {
    const freed = await changeOtt(ports, order.tokenHash, (ott) =>
      ott.claim?.presentationId === order.presentationId ? advance(ott, 'giveBack', ports.limits) : undefined,
    );
    if (freed) await ports.publish('ott.given-back', { ott: freed });
  };
