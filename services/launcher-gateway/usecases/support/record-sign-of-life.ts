import { Refusal } from '#libs/contracts/errors.ts';
import type { RateLimit } from '#libs/kernel/rate.ts';
import { afterSignOfLife } from '../../core/launcher-session.ts';
import type { Ports, SessionCaller } from '../../ports.ts';

/**
 * A sign of life restarts the launcher's silence (D-13). Throws INVALID_SESSION_TOKEN when the session is no longer live, and RATE_LIMITED
 * beyond `limit` (D-42).
 */
export const recordSignOfLife = async (
  { sessions, limits }: Pick<Ports, 'sessions' | 'limits'>,
  { session, read }: SessionCaller,
  limit?: RateLimit,
): Promise<void> => {
  const { after } = await sessions.update(
    session.id,
    (current) => current.record && afterSignOfLife(current.record, current, limits),
    undefined,
    { limit, known: read },
  );
  if (after === undefined) throw new Refusal('INVALID_SESSION_TOKEN');
};
