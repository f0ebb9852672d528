import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { verifyReply } from '#libs/contracts/events/otts.ts';
import { refusedBillingReply } from '../core/responses.ts';
import type { Ports } from '../ports.ts';

/** Billing did not start: the waiting verify receives why (spec 4.1, D-12). */
export const replyRefusedBilling =
  ({ reply }: Ports) =>
  async ({ reason }: EventData<'billing.refused'>, meta: EventMeta): Promise<void> =>
    reply(meta, verifyReply, refusedBillingReply(reason));
