import { advance, spare } from '../core/launcher-session.ts';
import type { Ports } from '../ports.ts';

/** A deadline has passed: a live session lapses and game-session is told; any other is forgotten. */
export const handleDeadline =
  ({ sessions, limits, publish }: Ports) =>
  async (id: string): Promise<void> => {
    const look = await sessions.look(id);
    const { nowMs, session: before, holder } = look;
    if (before === undefined || nowMs < before.deadlineAtMs) return;
    const spared = spare(before, look);
    if (spared) {
      await sessions.commit([{ before, after: spared }]);
      return;
    }
    const after = advance(before, 'lapse', nowMs, limits);
    const seat = { before: holder, after: undefined };
    const won = await sessions.commit([{ before, after, ...(holder === id && { seat }) }]);
    if (!won || after === undefined) return;
    const { launcherSessionId, cafeId, pcId } = after;
    await publish('launcher-session.lapsed', { launcherSessionId, cafeId, pcId, atMs: nowMs });
  };
