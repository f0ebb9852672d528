import { Refusal } from '#libs/contracts/errors.ts';
import type { Session } from '../../core/session.ts';
import type { Ports } from '../../ports.ts';

/**
 * Publishes that play is over. When the log is away it follows as soon as it is back, and by the session's deadline whatever becomes of the
 * note: the caller's end stands (architecture, part 2; D-23).
 */
export const publishEnding = async (
  { publish, unsaid, waits }: Pick<Ports, 'publish' | 'unsaid' | 'waits'>,
  session: Session,
): Promise<void> => {
  try {
    await publish('game-session.ending', { session }, { timeoutMs: waits.publishMs });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await unsaid.note(session.gameSessionId).catch(() => undefined);
  }
};
