import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** The token was not accepted: the waiting verify hears why (spec 4.1). */
export const turnBackToken =
  ({ tell }: Ports) =>
  async ({ reason }: EventData<'ott.refused'>): Promise<void> =>
    tell({ isValid: false, reason });

/** Billing did not start: NOT_CHARGEABLE where the balance was the reason, otherwise try again later (D-12). */
export const turnBackBilling =
  ({ tell }: Ports) =>
  async ({ reason }: EventData<'billing.refused'>): Promise<void> =>
    tell(
      reason === 'insufficient_balance'
        ? { isValid: false, reason: 'NOT_CHARGEABLE' }
        : { unavailable: true },
    );
