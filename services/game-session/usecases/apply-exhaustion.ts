import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { renewalReply } from '#libs/contracts/events/game-sessions.ts';
import { renewalOf } from '../core/responses.ts';
import { deplete } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** The balance is used up: the grace begins, once (spec 3.2). */
export const applyExhaustion =
  ({ sessions, limits, publish, reply }: Ports) =>
  async ({ gameSessionId }: EventData<'billing.exhausted'>, meta: EventMeta): Promise<void> => {
    const { record, after, nowMs } = await sessions.update(
      gameSessionId,
      (current) => current.record && deplete(current.record, current.nowMs, limits),
    );
    if (after) await publish('game-session.exhausted', { session: after });
    const session = after ?? record;
    if (session) reply(meta, renewalReply, renewalOf(session, nowMs, limits));
  };
