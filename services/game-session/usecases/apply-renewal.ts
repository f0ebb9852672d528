import { renewalReply } from '#libs/contracts/events/game-sessions.ts';
import type { BundleHandler, ReceivedEvent } from '#libs/contracts/delivery.ts';
import { renewalOf } from '../core/responses.ts';
import { recharge } from '../core/session.ts';
import type { Ports } from '../ports.ts';
import { endAgain } from './support/end-again.ts';

/** A session in its grace is active again (D-08). Billing that was started when play was over by then is stopped again (D-60). */
const recharged = async (ports: Ports, { data, meta }: ReceivedEvent<'billing.renewed'>): Promise<void> => {
  const { sessions, limits, publish, reply } = ports;
  const { record, after, nowMs } = await sessions.update(
    data.gameSessionId,
    (current) => current.record && recharge(current.record, limits),
  );
  if (after) await publish('game-session.recharged', { session: after });
  const session = after ?? record;
  if (session === undefined) return;
  await endAgain(ports, session);
  reply(meta, renewalReply, renewalOf(session, nowMs, limits));
};

/** The partner renewed. A session that was active stays as it is, and is not read. */
export const applyRenewals = (ports: Ports): BundleHandler<'billing.renewed'> => ({
  together: async (renewals) => {
    const stillActive = { exhausted: false, nextHeartbeatIn: ports.limits.heartbeatIntervalSec };
    for (const { data, meta } of renewals)
      if (!data.recharges)
        ports.reply(meta, renewalReply, { ...stillActive, remainingSec: data.remainingSec });
    await Promise.all(renewals.filter(({ data }) => data.recharges).map((each) => recharged(ports, each)));
  },
});
