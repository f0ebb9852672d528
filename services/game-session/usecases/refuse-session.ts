import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { verifyReply } from '#libs/contracts/events/otts.ts';
import { refusedBillingReply } from '../core/responses.ts';
import { plays } from '../core/session.ts';
import { neverBegun } from '../core/start.ts';
import type { Ports } from '../ports.ts';

/**
 * Billing did not start: the waiting verify receives why (spec 4.1, D-12). The refusal is remembered as a session that never began, so
 * that a start of the same order that comes after it on the log begins nothing (D-34); a session that began before it plays on, and the verify
 * that repeats the one that began it (D-15) receives it, whatever the partner says of a second start.
 */
export const refuseSession =
  ({ sessions, limits, reply }: Ports) =>
  async (refused: EventData<'billing.refused'>, meta: EventMeta): Promise<void> => {
    const { gameSessionId, pcId } = refused.order;
    const { record: known } = await sessions.update(
      gameSessionId,
      ({ record, nowMs }) => record ?? neverBegun(refused, nowMs, limits),
      pcId,
    );
    reply(
      meta,
      verifyReply,
      known && plays(known)
        ? { isValid: true, gameSessionId, isPcCafe: known.isPcCafe }
        : refusedBillingReply(refused.reason),
    );
  };
