import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { renewalReply } from '#libs/contracts/events/game-sessions.ts';
import { renewalOf } from '../core/responses.ts';
import { recharge } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** The partner renewed: a session in its grace is active again (D-08). One that was active stays as it is, and is not read. */
export const applyRenewal =
  ({ sessions, limits, publish, reply }: Ports) =>
  async ({ gameSessionId, recharges }: EventData<'billing.renewed'>, meta: EventMeta): Promise<void> => {
    if (!recharges) {
      reply(meta, renewalReply, { exhausted: false, nextHeartbeatIn: limits.heartbeatIntervalSec });
      return;
    }
    const { record, after, nowMs } = await sessions.update(
      gameSessionId,
      (current) => current.record && recharge(current.record, limits),
    );
    if (after) await publish('game-session.recharged', { session: after });
    const session = after ?? record;
    if (session) reply(meta, renewalReply, renewalOf(session, nowMs, limits));
  };
