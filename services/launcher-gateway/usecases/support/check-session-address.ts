import { Refusal, unavailable } from '#libs/contracts/errors.ts';
import { withDeadline } from '#libs/runtime/wait.ts';
import type { Ports, SessionCaller } from '../../ports.ts';
import { checkCafeAddress } from './check-cafe-address.ts';

/** The partner does not say, or may not be asked: others may have used up what the cafe may ask (D-42). */
const isUnknown = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED');

/**
 * Checks that the address of a request is still the cafe's (D-17, D-45). While nobody can tell, the address that the session began from
 * is believed after `believedAfterMs`, unless the partner last said that it is not the cafe's; another one is UNAVAILABLE. Throws
 * NOT_PC_CAFE, and RATE_LIMITED where a session comes from other addresses too often, or its cafe asks about too many of them (D-42).
 */
export const checkSessionAddress = async (
  ports: Ports,
  { session, ip: addressOf }: SessionCaller,
  believedAfterMs: number,
): Promise<void> => {
  const ip = addressOf();
  const isOwn = ip === session.ip;
  if (!isOwn) await ports.rateLimits.move(session.pcId);
  const check = checkCafeAddress(ports, { ...session, ip });
  if (!isOwn) return check;
  try {
    await withDeadline(check, believedAfterMs, unavailable);
  } catch (error) {
    if (!isUnknown(error)) throw error;
    const last = await ports.cafeCache.get(ip);
    if (last !== undefined && last.cafeId !== session.cafeId) return check;
  }
};
