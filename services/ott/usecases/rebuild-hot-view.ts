import type { Rebuild } from '#libs/records/hot-view.ts';
import { rebuildParts } from '#libs/records/rebuild-parts.ts';
import type { LoggedOtt, Ports } from '../ports.ts';

type RebuildPorts = Pick<Ports, 'otts' | 'recentLog'>;

/** Stores tokens; of a PC and game the one that is `issued` is the latest, because it voided those before it. */
const restore =
  ({ otts }: RebuildPorts) =>
  async (known: readonly LoggedOtt[]): Promise<void> => {
    await otts.restore(known.map(({ ott }) => ott));
    const latest = known.flatMap(({ ott, sealedToken }) =>
      ott.state === 'issued' && sealedToken !== undefined ? [{ ...ott, sealedToken }] : [],
    );
    await Promise.all(
      latest.map(({ pcId, gameId, tokenHash, ottRequestId, sealedToken }) =>
        otts.setLatest(pcId, gameId, { tokenHash, ottRequestId, sealedToken }),
      ),
    );
  };

/** The view was lost: every token of the recent log is stored again where nothing newer is, and the newest of each PC and game (D-24). */
export const rebuildHotView =
  (ports: RebuildPorts): Rebuild =>
  (signal, shared) =>
    ports.recentLog.open(signal, async (log) => {
      const parts = { names: log.parts, ends: log.ends };
      const { live, ends: begins } = await rebuildParts(shared, parts, async (part) => {
        let issued = 0;
        await log.otts([part], async (known) => {
          await restore(ports)(known);
          issued += known.filter(({ ott }) => ott.state === 'issued').length;
        });
        return issued;
      });
      let ends = begins;
      return {
        live,
        follow: async (whileConnected) => {
          ends = await ports.recentLog.behind(ends, whileConnected, restore(ports));
        },
      };
    });
