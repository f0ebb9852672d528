import type { EventData } from '#libs/contracts/events.ts';
import { advance } from '../core/ott.ts';
import type { Ports } from '../ports.ts';
import { changeOtt } from './support/change-ott.ts';

/** Billing started: the token is spent for good (I1). */
export const consumeOtt =
  (ports: Ports) =>
  async ({ order }: EventData<'billing.started'>): Promise<void> => {
    const consumed = await changeOtt(ports, order.tokenHash, (ott) => advance(ott, 'consume', ports.limits));
    if (consumed) await ports.publish('ott.consumed', { ott: consumed });
  };
