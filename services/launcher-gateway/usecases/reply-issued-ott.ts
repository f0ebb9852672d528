import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { ottReply } from '#libs/contracts/events/otts.ts';
import type { Ports } from '../ports.ts';

/** A token was issued: the waiting request has it already, or receives it encrypted from an ott of an older version (D-18). */
export const replyIssuedOtt =
  ({ reply }: Ports) =>
  async ({ sealedToken }: EventData<'ott.issued'>, meta: EventMeta): Promise<void> =>
    reply(meta, ottReply, { sealedToken });
