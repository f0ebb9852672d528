import type { EventData } from '#libs/contracts/events.ts';
import { settle } from '../core/session.ts';
import type { Ports } from '../ports.ts';
import { changeSession } from './support/change-session.ts';

/** The partner confirmed the stop: ending → ended (D-06). */
export const confirmEnd =
  (ports: Ports) =>
  async ({ gameSessionId, partnerPlayDurationSec }: EventData<'billing.stopped'>): Promise<void> => {
    const { after } = await changeSession(ports, gameSessionId, (session, { nowMs }) =>
      settle(session, partnerPlayDurationSec, nowMs, ports.limits),
    );
    if (after) await ports.publish('game-session.ended', { session: after });
  };
