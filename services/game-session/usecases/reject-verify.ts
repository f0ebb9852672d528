import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** The token was not accepted: the waiting verify hears why (spec 4.1). */
export const rejectRefusedToken =
  ({ tell }: Ports) =>
  async ({ reason }: EventData<'ott.refused'>): Promise<void> =>
    tell({ isValid: false, reason });

/** Billing did not start: NOT_CHARGEABLE where it cannot, for now or at all (D-12); a verify that came too late may try again. */
export const rejectRefusedBilling =
  ({ tell }: Ports) =>
  async ({ reason }: EventData<'billing.refused'>): Promise<void> =>
    tell(reason === 'too_late' ? { unavailable: true } : { isValid: false, reason: 'NOT_CHARGEABLE' });
