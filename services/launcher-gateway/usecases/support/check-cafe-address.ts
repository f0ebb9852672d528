import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import type { LauncherSession } from '../../core/launcher-session.ts';
import type { Ports } from '../../ports.ts';

/** The partner did not say whose an address is: its outage, and none of ours. */
export class PartnerSilent extends Error {}

type CheckPorts = Pick<Ports, 'cafeCache' | 'checks' | 'request' | 'ids' | 'waits' | 'notes' | 'rateLimits'>;
type Asking = Parameters<Ports['rateLimits']['ask']>[0];

/** Asks the partner, and remembers what it says. Throws RATE_LIMITED where this cafe or network asks about too many addresses (D-42). */
const askPartner = async (
  { cafeCache, request, ids, rateLimits }: CheckPorts,
  asking: Asking,
  waitMs: number,
): Promise<string | null> => {
  const { ip } = asking;
  await rateLimits.ask(asking);
  const reply = await request('cafe-check.requested', { checkId: ids.uuid(), ip }, { waitMs });
  if (reply === undefined) throw unavailable();
  if (reply.verdict === 'unavailable') throw unavailable(new PartnerSilent());
  await cafeCache.set(ip, reply.cafeId);
  return reply.cafeId;
};

/**
 * Asks once for all who ask meanwhile. Who joined a check that another one began asks again when that had no outcome, for the rest of the
 * time that he would have waited for his own: it may have begun just before we were away, and he just after.
 */
const askOnce = async (ports: CheckPorts, asking: Asking): Promise<string | null> => {
  const { checks, waits } = ports;
  const began = performance.now();
  let isOwn = false;
  const ask = (waitMs: number) =>
    checks(asking.ip, () => {
      isOwn = true;
      return askPartner(ports, asking, waitMs);
    });
  try {
    return await ask(waits.checkMs);
  } catch (error) {
    const leftMs = waits.checkMs - (performance.now() - began);
    if (isOwn || leftMs <= 0 || !(error instanceof Refusal)) throw error;
    return ask(leftMs);
  }
};

/** The cafe that an address belongs to, or null: by the cache, else by the partner. Throws UNAVAILABLE. */
const cafeOf = async (ports: CheckPorts, asking: Asking): Promise<string | null> => {
  const known = await ports.cafeCache.get(asking.ip);
  return known?.isFresh === true ? known.cafeId : askOnce(ports, asking);
};

/** Checks that an address is the cafe's. Throws NOT_PC_CAFE, UNAVAILABLE or RATE_LIMITED. */
export const checkCafeAddress = async (
  ports: CheckPorts,
  { ip, ...launcher }: Pick<LauncherSession, 'ip' | 'cafeId' | 'keyId'>,
): Promise<void> => {
  const cafeId = await cafeOf(ports, { ...launcher, ip });
  if (cafeId === launcher.cafeId) return;
  ports.notes.addressRefused(cafeId === null ? 'no_cafe' : 'other_cafe', launcher);
  throw new Refusal('NOT_PC_CAFE');
};
