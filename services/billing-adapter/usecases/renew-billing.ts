import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

type Session = EventData<'game-session.heartbeat'>['session'];

/**
 * A billing that the partner does not know has a start that is still pending, or was refused before a top-up: it is started under the same
 * id, from its first second (D-08, D-12).
 */
const renewOrStart = async ({ partner }: Ports, session: Session) => {
  const { gameSessionId, playDurationSec, lastSeenAtMs } = session;
  const renewal = await partner.renew(gameSessionId, playDurationSec, lastSeenAtMs);
  return renewal.outcome === 'none' ? partner.start(session) : renewal;
};

/** A heartbeat renews billing. An unknown outcome is left to the next heartbeat: nobody is thrown out because the partner is slow (D-12). */
export const renewBilling =
  (ports: Ports) =>
  async ({ session }: EventData<'game-session.heartbeat'>, { request }: EventMeta): Promise<void> => {
    const { gameSessionId } = session;
    const result = await renewOrStart(ports, session);
    if (result.outcome === 'unknown') ports.renewalSkipped();
    if (result.outcome === 'renewed' || result.outcome === 'started') {
      const { remainingSec } = result;
      const recharges = session.state === 'charge_exhausted';
      await ports.publish('billing.renewed', { gameSessionId, remainingSec, recharges }, { request });
    }
    if (result.outcome === 'exhausted' || result.outcome === 'refused')
      await ports.publish('billing.exhausted', { gameSessionId }, { request });
  };
