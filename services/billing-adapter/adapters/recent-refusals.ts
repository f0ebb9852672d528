import { AgeingMap } from '#libs/kernel/ageing-map.ts';
import type { Ports } from '../ports.ts';

/** The starts that were refused last, at most 10,000: the oldest goes as a new one comes. */
export const recentRefusals = (): Ports['refusals'] => {
  const kept = new AgeingMap<string, ReturnType<Ports['refusals']['of']>>({ most: 10_000 });
  return {
    of: (gameSessionId) => kept.get(gameSessionId),
    keep: (gameSessionId, reason) => kept.set(gameSessionId, reason),
  };
};
