import { z } from 'zod';
import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../../ports.ts';

/** What a waiting check is told. */
export const checkOutcome = z.object({
  verdict: z.enum(['known', 'unknown', 'unavailable']),
  cafeId: z.string().nullable(),
});

/** The address must be the cafe's: from a short memory, else asked of the partner through the log. Throws NOT_PC_CAFE or UNAVAILABLE. */
export const checkCafeAddress = async (
  { cafes, ask, ids, waits }: Ports,
  ip: string,
  cafeId: string,
): Promise<void> => {
  const remembered = await cafes.remembered(ip);
  if (remembered === cafeId) return;
  const question = { checkId: ids.uuid(), ip };
  const told = await ask('cafe-check.requested', question, { schema: checkOutcome, waitMs: waits.checkMs });
  if (told === undefined || told.verdict === 'unavailable') throw unavailable();
  if (told.cafeId !== cafeId) throw new Refusal('NOT_PC_CAFE');
  await cafes.remember(ip, cafeId);
};

/** The partner's verdict came: whoever waits for it hears it. */
export const onCafeVerdict =
  ({ tell }: Ports) =>
  async ({ verdict, cafeId }: EventData<'cafe-check.answered'>): Promise<void> =>
    tell({ verdict, cafeId });
