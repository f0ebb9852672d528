import type { EventData } from '#libs/contracts/events.ts';
import { settle } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/**
 * The partner confirmed the stop: ending → ended (D-06). Said again where it is delivered again: the log may not have it yet. Nothing is said
 * of a session that never began, whose claim was given back and stopped (D-34).
 */
export const confirmEnd =
  ({ sessions, limits, publish }: Ports) =>
  async ({ gameSessionId, partnerPlayDurationSec }: EventData<'billing.stopped'>): Promise<void> => {
    const decided = async () => {
      const { record, after = record } = await sessions.update(
        gameSessionId,
        (current) => current.record && settle(current.record, partnerPlayDurationSec, current.nowMs, limits),
      );
      return after;
    };
    const after = (await sessions.over.stopped(gameSessionId, partnerPlayDurationSec)) ?? (await decided());
    if (after?.state === 'ended' && after.partnerPlayDurationSec !== null)
      await publish('game-session.ended', { session: after }, { lingers: true });
  };
