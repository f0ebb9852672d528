import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { renewalReply } from '#libs/contracts/events/game-sessions.ts';
import { nextHeartbeatSec } from '../core/responses.ts';
import { deplete, recharge } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Ports } from '../ports.ts';
import { changeSession } from './support/change-session.ts';

const replyState = (
  { reply, limits }: Ports,
  meta: EventMeta,
  { session, nowMs }: { session: Session | undefined; nowMs: number },
): void => {
  if (session === undefined) return;
  const nextHeartbeatIn = nextHeartbeatSec(session, nowMs, limits.heartbeatIntervalSec);
  reply(meta, renewalReply, { exhausted: session.state === 'charge_exhausted', nextHeartbeatIn });
};

/** The partner renewed: a session in its grace is active again (D-08). */
export const applyRenewal =
  (ports: Ports) =>
  async ({ gameSessionId }: EventData<'billing.renewed'>, meta: EventMeta): Promise<void> => {
    const { look, after } = await changeSession(ports, gameSessionId, (session) =>
      recharge(session, ports.limits),
    );
    if (after) await ports.publish('game-session.recharged', { session: after });
    replyState(ports, meta, { session: after ?? look.session, nowMs: look.nowMs });
  };

/** The balance is used up: the grace begins, once (spec 3.2). */
export const applyExhaustion =
  (ports: Ports) =>
  async ({ gameSessionId }: EventData<'billing.exhausted'>, meta: EventMeta): Promise<void> => {
    const { look, after } = await changeSession(ports, gameSessionId, (session, { nowMs }) =>
      deplete(session, nowMs, ports.limits),
    );
    if (after) await ports.publish('game-session.exhausted', { session: after });
    replyState(ports, meta, { session: after ?? look.session, nowMs: look.nowMs });
  };
