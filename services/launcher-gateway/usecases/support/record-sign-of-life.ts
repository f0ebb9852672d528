import { Refusal } from '#libs/contracts/errors.ts';
import { afterSignOfLife } from '../../core/launcher-session.ts';
import type { Ports } from '../../ports.ts';

/** A sign of life restarts the launcher's silence (D-13). Throws INVALID_SESSION_TOKEN when the session is no longer live. */
export const recordSignOfLife = async (
  { sessions, limits }: Pick<Ports, 'sessions' | 'limits'>,
  id: string,
): Promise<void> => {
  const { after } = await sessions.update(
    id,
    (current) => current.record && afterSignOfLife(current.record, current, limits),
  );
  if (after === undefined) throw new Refusal('INVALID_SESSION_TOKEN');
};
