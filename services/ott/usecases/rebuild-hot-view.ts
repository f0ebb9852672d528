import type { Rebuild } from '#libs/records/hot-view.ts';
import { rebuildParts } from '#libs/records/rebuild-parts.ts';
import type { Ports } from '../ports.ts';

type RebuildPorts = Pick<Ports, 'otts' | 'recentLog'>;

/** The view was lost: every token of the recent log is stored again where nothing newer is, and has its seat again (D-24). */
export const rebuildHotView =
  ({ otts, recentLog }: RebuildPorts): Rebuild =>
  (signal, shared) =>
    recentLog.open(signal, async (log) => {
      const parts = { names: log.parts, ends: log.ends };
      const { live, ends: begins } = await rebuildParts(shared, parts, async (part) => {
        let issued = 0;
        await log.otts([part], async (known) => {
          await otts.restore(known);
          issued += known.filter(({ state }) => state === 'issued').length;
        });
        return issued;
      });
      let ends = begins;
      return {
        live,
        follow: async (whileConnected) => {
          ends = await recentLog.behind(ends, whileConnected, otts.restore);
        },
      };
    });
