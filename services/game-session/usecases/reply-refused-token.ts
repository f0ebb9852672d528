import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { verifyReply } from '#libs/contracts/events/otts.ts';
import type { Ports } from '../ports.ts';

/** The token was not accepted: the waiting verify receives the reason (spec 4.1). */
export const replyRefusedToken =
  ({ reply }: Ports) =>
  async ({ reason }: EventData<'ott.refused'>, meta: EventMeta): Promise<void> =>
    reply(meta, verifyReply, { isValid: false, reason });
