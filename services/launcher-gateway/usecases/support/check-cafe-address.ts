import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { Ports } from '../../ports.ts';

/** Checks that an address is the cafe's: by the cache, else by the partner, once for all who ask meanwhile. Throws NOT_PC_CAFE or UNAVAILABLE. */
export const checkCafeAddress = async (
  {
    cafeCache,
    checks,
    request,
    ids,
    waits,
  }: Pick<Ports, 'cafeCache' | 'checks' | 'request' | 'ids' | 'waits'>,
  ip: string,
  cafeId: string,
): Promise<void> => {
  if ((await cafeCache.get(ip)) === cafeId) return;
  const reply = await checks(ip, () =>
    request('cafe-check.requested', { checkId: ids.uuid(), ip }, { waitMs: waits.checkMs }),
  );
  if (reply === undefined || reply.verdict === 'unavailable') throw unavailable();
  if (reply.cafeId !== cafeId) throw new Refusal('NOT_PC_CAFE');
  await cafeCache.set(ip, cafeId);
};
