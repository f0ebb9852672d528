import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { renewalReply } from '#libs/contracts/events/game-sessions.ts';
import { renewalOf } from '../core/responses.ts';
import { deplete } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** The balance is used up, which the next answer to a heartbeat says; the grace begins with that (spec 3.2, D-37). */
export const applyExhaustion =
  ({ sessions, limits, publish, reply, balances }: Ports) =>
  async ({ gameSessionId }: EventData<'billing.exhausted'>, meta: EventMeta): Promise<void> => {
    const { record, after, nowMs } = await sessions.update(
      gameSessionId,
      (current) => current.record && deplete(current.record, limits),
    );
    if (after) await publish('game-session.exhausted', { session: after });
    const session = after ?? record;
    if (session === undefined) return;
    balances.told(session.cafeId, 0);
    reply(meta, renewalReply, renewalOf(session, nowMs, limits));
  };
