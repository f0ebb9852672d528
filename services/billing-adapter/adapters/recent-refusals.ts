import type { Ports } from '../ports.ts';

const maxKept = 10_000;

/** The starts that were refused last, at most 10,000: the oldest goes as a new one comes. */
export const recentRefusals = (): Ports['refusals'] => {
  const kept = new Map<string, ReturnType<Ports['refusals']['of']>>();
  return {
    of: (gameSessionId) => kept.get(gameSessionId),
    keep: (gameSessionId, reason) => {
      kept.set(gameSessionId, reason);
      const [oldest] = kept.keys();
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    },
  };
};
