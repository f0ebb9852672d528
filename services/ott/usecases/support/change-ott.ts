import { unavailable } from '#libs/contracts/errors.ts';
import type { Ott } from '../../core/ott.ts';
import type { Ports } from '../../ports.ts';

const mostTries = 10;

/** Reads, decides and writes until nobody was faster; undefined when the decision was to change nothing. */
export const changeOtt = async (
  { otts }: Ports,
  tokenHash: string,
  decide: (ott: Ott, nowMs: number) => Ott | undefined,
): Promise<Ott | undefined> => {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { nowMs, ott } = await otts.look(tokenHash);
    const after = ott && decide(ott, nowMs);
    if (after === undefined || after === ott) return after;
    if (await otts.commit(tokenHash, ott, after)) return after;
  }
  throw unavailable();
};
