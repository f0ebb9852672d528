import { oneLivePerPc } from '../core/seats.ts';
import { plays } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** The view was lost: every session that the recent log knows is put back as it was there, newer ones left alone (architecture, idea A). Resolves to how many play. */
export const rebuildHotView =
  ({ sessions, past, limits }: Pick<Ports, 'sessions' | 'past' | 'limits'>) =>
  async (signal: AbortSignal): Promise<number> => {
    const [known, lapsed] = [await past.sessions(signal), await past.lapsedPcs(signal)];
    const restored = oneLivePerPc(known, limits);
    await sessions.restore(
      restored.map((session) => ({
        session,
        launcherLapsedAtMs: plays(session) ? lapsed.get(session.pcId) : undefined,
      })),
    );
    return restored.filter(plays).length;
  };
