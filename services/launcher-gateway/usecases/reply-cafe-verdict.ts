import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { cafeCheckReply } from '#libs/contracts/events/cafe-checks.ts';
import type { Ports } from '../ports.ts';

/** The partner has said whose address it is: the waiting check receives the verdict. */
export const replyCafeVerdict =
  ({ reply }: Ports) =>
  async ({ verdict, cafeId }: EventData<'cafe-check.answered'>, meta: EventMeta): Promise<void> =>
    reply(meta, cafeCheckReply, { verdict, cafeId });
