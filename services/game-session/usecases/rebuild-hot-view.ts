import type { Rebuild } from '#libs/records/follow-rebuild.ts';
import { rebuildParts } from '#libs/records/rebuild-parts.ts';
import { oneLivePerPc } from '../core/seats.ts';
import type { Ports } from '../ports.ts';

type RebuildPorts = Pick<Ports, 'sessions' | 'recentLog' | 'limits'>;

/** The view was lost: every session of the recent log is stored again, where nothing newer is (D-24). */
export const rebuildHotView =
  (ports: RebuildPorts): Rebuild =>
  (signal, shared) => {
    const { sessions, recentLog, limits } = ports;
    return recentLog.open(signal, async (log) => {
      const parts = { names: log.sessionParts, ends: log.ends };
      let ends = await rebuildParts(shared, parts, (part) => log.sessions(part, sessions.restore));
      await shared.each(log.launcherParts, async (part) => {
        await log.launchers(part, sessions.restoreLaunchers);
        return {};
      });
      return {
        follow: async (whileConnected) => {
          ends = await recentLog.behind(ends, whileConnected, sessions.restore);
          await sessions.settleContests((contested) => oneLivePerPc(contested, limits));
        },
      };
    });
  };
