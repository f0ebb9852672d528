import { randomBytes, randomUUID } from 'node:crypto';
import { specLimits } from '#libs/kernel/limits.ts';
import { gameSessionIdFor } from '#libs/kernel/shards.ts';
import { begin } from '../../services/game-session/core/session.ts';
import type { Session } from '../../services/game-session/core/session.ts';

/** A session that began at this instant, in ms since the epoch, at a PC of its own. */
export const syntheticSession = (cafeId: string, startedAtMs: number): Session => {
  const pcId = `pc_${randomBytes(16).toString('hex')}`;
  const order = {
    ...{ pcId, cafeId, presentationId: randomUUID(), tokenHash: randomBytes(32).toString('hex') },
    ...{ gameId: 'starfall', providerUserId: randomUUID(), isPcCafe: true, launcherSessionId: randomUUID() },
    ...{ gameSessionId: gameSessionIdFor(randomUUID(), pcId), startedAtMs },
  };
  return begin({ order, pending: false, remainingSec: 1 }, specLimits);
};
