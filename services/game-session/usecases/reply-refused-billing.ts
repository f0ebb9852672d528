import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { verifyReply } from '#libs/contracts/events/otts.ts';
import type { Ports } from '../ports.ts';

/** The token was not accepted: the waiting verify hears why (spec 4.1). */
export const rejectRefusedToken =
  ({ reply }: Ports) =>
  async ({ reason }: EventData<'ott.refused'>, meta: EventMeta): Promise<void> =>
    reply(meta, verifyReply, { isValid: false, reason });

/** Billing did not start: NOT_CHARGEABLE where it cannot, for now or at all (D-12); a verify that came too late may try again. */
export const rejectRefusedBilling =
  ({ reply }: Ports) =>
  async ({ reason }: EventData<'billing.refused'>, meta: EventMeta): Promise<void> =>
    reply(
      meta,
      verifyReply,
      reason === 'too_late' ? { unavailable: true } : { isValid: false, reason: 'NOT_CHARGEABLE' },
    );
