import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** Play is over: its seconds are written down, once (I7). Players are known only by a hash. */
export const recordPlay =
  ({ ledger, hash }: Ports) =>
  async ({ session }: EventData<'game-session.ending'>): Promise<void> => {
    const { endedAtMs, endReason, gameId, providerUserId } = session;
    if (endedAtMs === null || endReason === null)
      throw new Error('a session that is ending has an end and a reason');
    await ledger.record({ ...session, endedAtMs, endReason, userHash: hash(`${gameId}\n${providerUserId}`) });
  };
