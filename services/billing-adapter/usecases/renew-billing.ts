import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

type Session = EventData<'game-session.heartbeat'>['session'];

/** A billing that the partner does not know: its start is pending still, or was refused before a top-up. It is started under the same id, from its first second (D-08, D-12). */
const renewed = async ({ partner }: Ports, session: Session) => {
  const { gameSessionId, playDurationSec, lastSeenAtMs } = session;
  const said = await partner.renew(gameSessionId, playDurationSec, lastSeenAtMs);
  return said.outcome === 'none' ? partner.start(session) : said;
};

/** A heartbeat renews billing. An unknown outcome is left to the next heartbeat: nobody is thrown out because the partner is slow (D-12). */
export const renewBilling =
  (ports: Ports) =>
  async ({ session }: EventData<'game-session.heartbeat'>): Promise<void> => {
    const { gameSessionId } = session;
    const said = await renewed(ports, session);
    if (said.outcome === 'unknown') ports.renewalSkipped();
    if (said.outcome === 'renewed' || said.outcome === 'started')
      await ports.publish('billing.renewed', { gameSessionId, remainingSec: said.remainingSec });
    if (said.outcome === 'exhausted' || said.outcome === 'refused')
      await ports.publish('billing.exhausted', { gameSessionId });
  };
