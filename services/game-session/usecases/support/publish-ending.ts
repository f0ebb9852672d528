import { Refusal } from '#libs/contracts/errors.ts';
import type { Session } from '../../core/session.ts';
import type { Ports } from '../../ports.ts';

/**
 * Publishes that play is over. While the log is down the caller's end stands all the same: the event is left pending, and should that
 * fail too, the session's deadline publishes it (D-23).
 */
export const publishEnding = async (
  { publish, pending, waits }: Pick<Ports, 'publish' | 'pending' | 'waits'>,
  session: Session,
): Promise<void> => {
  try {
    await publish('game-session.ending', { session }, { timeoutMs: waits.publishMs });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await pending.add(session.gameSessionId).catch(() => undefined);
  }
};
