import type { EventData } from '#libs/contracts/events.ts';

/** Why a start was refused. */
export type StartRefusal = EventData<'billing.refused'>['reason'];

const mostKept = 10_000;

/**
 * The starts that were refused last. Who was refused hears so again when the order is heard again: a top-up in between is for the next verify
 * (D-03). Memory suffices: another process hears an order again only after its deadline, when it is too late anyway.
 */
export const createRecentRefusals = () => {
  const kept = new Map<string, StartRefusal>();
  return {
    of: (gameSessionId: string): StartRefusal | undefined => kept.get(gameSessionId),
    keep: (gameSessionId: string, reason: StartRefusal): void => {
      kept.set(gameSessionId, reason);
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    },
  };
};
