import { afterDeadline } from '../core/deadlines.ts';
import { plays } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** A session's deadline has passed: silence or the end of the grace ends it, `ending` is published again, an ended one is forgotten. */
export const handleDeadline =
  ({ sessions, limits, publish, notes }: Ports) =>
  async (gameSessionId: string): Promise<void> => {
    const atOnce = await sessions.over.due(gameSessionId);
    if (atOnce === 'forgotten') return;
    const { after } = atOnce
      ? { after: atOnce }
      : await sessions.update(
          gameSessionId,
          (current) => current.record && afterDeadline(current.record, current, limits),
        );
    if (after && plays(after)) notes.spared(after.gameId);
    if (after?.state === 'ending') await publish('game-session.ending', { session: after });
  };
