import type { Rebuild } from '#libs/records/hot-view.ts';
import { rebuildParts } from '#libs/records/rebuild-parts.ts';
import { oneLivePerPc } from '../core/seats.ts';
import { plays } from '../core/session.ts';
import type { Ports, RecentLog } from '../ports.ts';

type RebuildPorts = Pick<Ports, 'sessions' | 'recentLog' | 'limits'>;

/** Stores the sessions of one partition; resolves to how many play. */
const restorePart =
  ({ sessions }: RebuildPorts, log: RecentLog) =>
  async (part: string): Promise<number> => {
    let live = 0;
    await log.sessions(part, async (found) => {
      await sessions.restore(found);
      live += found.filter(plays).length;
    });
    return live;
  };

/** The view was lost: every session of the recent log is stored again, where nothing newer is (D-24). */
export const rebuildHotView =
  (ports: RebuildPorts): Rebuild =>
  (signal, shared) => {
    const { sessions, recentLog, limits } = ports;
    return recentLog.open(signal, async (log) => {
      const parts = { names: log.sessionParts, ends: log.ends };
      const rebuilt = await rebuildParts(shared, parts, restorePart(ports, log));
      await shared.each(log.launcherParts, async (part) => {
        await log.launchers(part, sessions.restoreLaunchers);
        return {};
      });
      let ends = rebuilt.ends;
      return {
        live: rebuilt.live,
        follow: async (whileConnected) => {
          ends = await recentLog.behind(ends, whileConnected, sessions.restore);
          await sessions.settleContests((contested) => oneLivePerPc(contested, limits));
        },
      };
    });
  };
