import { afterDeadline } from '../core/deadlines.ts';
import { plays } from '../core/session.ts';
import type { CurrentSession, Ports } from '../ports.ts';

/** A session's deadline has passed: silence or the end of the grace ends it, `ending` is published again, an ended one is forgotten. */
export const handleDeadline =
  ({ sessions, limits, publish, notes }: Ports) =>
  async (gameSessionId: string): Promise<void> => {
    const decide = (current: CurrentSession) =>
      current.record && afterDeadline(current.record, current, limits);
    const { after } = await sessions.update(gameSessionId, decide);
    if (after && plays(after)) notes.spared(after.gameId);
    if (after?.state === 'ending') await publish('game-session.ending', { session: after });
  };
