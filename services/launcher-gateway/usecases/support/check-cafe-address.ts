import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { cafeCheckReply } from '#libs/contracts/events/cafe-checks.ts';
import type { Ports } from '../../ports.ts';

/** The address must be the cafe's: remembered for a minute, else asked of the partner through the log, once for all who ask meanwhile. Throws NOT_PC_CAFE or UNAVAILABLE. */
export const checkCafeAddress = async (
  { cafes, checks, request, ids, waits }: Ports,
  ip: string,
  cafeId: string,
): Promise<void> => {
  const remembered = await cafes.remembered(ip);
  if (remembered === cafeId) return;
  const reply = await checks(ip, () =>
    request('cafe-check.requested', { checkId: ids.uuid(), ip }, { waitMs: waits.checkMs }),
  );
  if (reply === undefined || reply.verdict === 'unavailable') throw unavailable();
  if (reply.cafeId !== cafeId) throw new Refusal('NOT_PC_CAFE');
  await cafes.remember(ip, cafeId);
};

/** The partner's verdict came: whoever waits for it hears it. */
export const onCafeVerdict =
  ({ reply }: Ports) =>
  async ({ verdict, cafeId }: EventData<'cafe-check.answered'>, meta: EventMeta): Promise<void> =>
    reply(meta, cafeCheckReply, { verdict, cafeId });
