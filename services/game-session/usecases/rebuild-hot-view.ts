import { oneLivePerPc } from '../core/seats.ts';
import { plays } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** The view was lost: every session of the recent log is stored again, where nothing newer is (D-24). Resolves to how many play. */
export const rebuildHotView =
  ({ sessions, recentLog, limits }: Pick<Ports, 'sessions' | 'recentLog' | 'limits'>) =>
  async (signal: AbortSignal): Promise<number> => {
    const [known, lapsed] = [await recentLog.sessions(signal), await recentLog.lapsedPcs(signal)];
    const restored = oneLivePerPc(known, limits);
    await sessions.restore(
      restored.map((session) => ({
        session,
        launcherLapsedAtMs: plays(session) ? lapsed.get(session.pcId) : undefined,
      })),
    );
    return restored.filter(plays).length;
  };
