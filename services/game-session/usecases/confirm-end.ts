import type { EventData } from '#libs/contracts/events.ts';
import { settle } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/**
 * The partner confirmed the stop: ending → ended (D-06). Said again where it is delivered again: the log may not have it yet. It is counted once:
 * the reminders of a late stop are confirmed too. Nothing is said of a session that never began, whose claim was given back and stopped (D-34).
 */
export const confirmEnd =
  ({ sessions, limits, publish, notes }: Ports) =>
  async ({ gameSessionId, partnerPlayDurationSec }: EventData<'billing.stopped'>): Promise<void> => {
    const decided = () =>
      sessions.update(
        gameSessionId,
        (current) => current.record && settle(current.record, partnerPlayDurationSec, current.nowMs, limits),
      );
    const usual = await sessions.over.stopped(gameSessionId, partnerPlayDurationSec);
    const { record, after } = usual ? { record: usual, after: usual } : await decided();
    if (after) notes.stopConfirmed(after);
    const session = after ?? record;
    if (session?.state === 'ended' && session.partnerPlayDurationSec !== null)
      await publish('game-session.ended', { session }, { lingers: true });
  };
