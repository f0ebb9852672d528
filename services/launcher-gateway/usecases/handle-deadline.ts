import { afterDeadline } from '../core/launcher-session.ts';
import type { Ports } from '../ports.ts';

/** A launcher session's deadline has passed: a live one lapses, which game-session receives as an event; any other is forgotten. */
export const handleDeadline =
  ({ sessions, limits, publish }: Ports) =>
  async (id: string): Promise<void> => {
    const { after, nowMs } = await sessions.update(
      id,
      (current) => current.record && afterDeadline(current.record, current, limits),
    );
    if (after?.state !== 'lapsed') return;
    const { launcherSessionId, cafeId, pcId } = after;
    await publish('launcher-session.lapsed', { launcherSessionId, cafeId, pcId, atMs: nowMs });
  };
