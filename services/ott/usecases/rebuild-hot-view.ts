import type { Ports } from '../ports.ts';

/** The view was lost: every token of the recent log is stored again where nothing newer is, and the newest of each PC and game (D-24). Resolves to how many can still be presented. */
export const rebuildHotView =
  ({ otts, recentLog }: Pick<Ports, 'otts' | 'recentLog'>) =>
  async (signal: AbortSignal): Promise<number> => {
    const known = await recentLog.otts(signal);
    await otts.restore(known.map(({ ott }) => ott));
    const issued = known.filter(({ ott }) => ott.state === 'issued');
    for (const { ott, sealedToken } of issued.toSorted((a, b) => a.ott.issuedAtMs - b.ott.issuedAtMs)) {
      const { pcId, gameId, tokenHash, ottRequestId } = ott;
      if (sealedToken) await otts.setLatest(pcId, gameId, { tokenHash, ottRequestId, sealedToken });
    }
    return issued.length;
  };
