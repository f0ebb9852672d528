import type { Rebuild } from '#libs/records/hot-view.ts';
import { rebuildParts } from '#libs/records/rebuild-parts.ts';
import type { Ott } from '../core/ott.ts';
import type { Ports } from '../ports.ts';

type RebuildPorts = Pick<Ports, 'otts' | 'recentLog'>;

/**
 * Stores tokens as they come, and those that are issued once more when all have come: in a view that was not empty an earlier token may
 * have held their seat until its own end was stored.
 */
const restoring = ({ otts }: RebuildPorts) => {
  const issued: Ott[] = [];
  return {
    store: async (known: readonly Ott[]): Promise<void> => {
      await otts.restore(known);
      issued.push(...known.filter(({ state }) => state === 'issued'));
    },
    seatIssued: () => otts.restore(issued),
  };
};

/** The view was lost: every token of the recent log is stored again where nothing newer is, and has its seat again (D-24). */
export const rebuildHotView =
  (ports: RebuildPorts): Rebuild =>
  (signal, shared) =>
    ports.recentLog.open(signal, async (log) => {
      const parts = { names: log.parts, ends: log.ends };
      let ends = await rebuildParts(shared, parts, async (part) => {
        const { store, seatIssued } = restoring(ports);
        await log.otts([part], store);
        await seatIssued();
      });
      return {
        follow: async (whileConnected) => {
          const { store, seatIssued } = restoring(ports);
          ends = await ports.recentLog.behind(ends, whileConnected, store);
          await seatIssued();
        },
      };
    });
