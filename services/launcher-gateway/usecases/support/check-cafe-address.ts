import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { Ports } from '../../ports.ts';

type CheckPorts = Pick<Ports, 'cafeCache' | 'checks' | 'request' | 'ids' | 'waits'>;

/** Asks the partner, and remembers what it says. */
const askPartner = async (
  { cafeCache, request, ids, waits }: CheckPorts,
  ip: string,
): Promise<string | null> => {
  const reply = await request('cafe-check.requested', { checkId: ids.uuid(), ip }, { waitMs: waits.checkMs });
  if (reply === undefined || reply.verdict === 'unavailable') throw unavailable();
  await cafeCache.set(ip, reply.cafeId);
  return reply.cafeId;
};

/** The cafe that an address belongs to, or null: by the cache, else by the partner, once for all who ask meanwhile. Throws UNAVAILABLE. */
const cafeOf = async (ports: CheckPorts, ip: string): Promise<string | null> => {
  const known = await ports.cafeCache.get(ip);
  return known === undefined ? ports.checks(ip, () => askPartner(ports, ip)) : known;
};

/** Checks that an address is the cafe's. Throws NOT_PC_CAFE or UNAVAILABLE. */
export const checkCafeAddress = async (ports: CheckPorts, ip: string, cafeId: string): Promise<void> => {
  if ((await cafeOf(ports, ip)) !== cafeId) throw new Refusal('NOT_PC_CAFE');
};
