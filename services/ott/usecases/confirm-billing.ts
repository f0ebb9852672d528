import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** The partner has answered a pending start: its play no longer counts as unbilled (D-26). */
export const confirmBilling =
  ({ unbilled }: Ports) =>
  async ({ order: { cafeId, gameSessionId } }: EventData<'billing.confirmed'>): Promise<void> =>
    unbilled.end(cafeId, gameSessionId);
