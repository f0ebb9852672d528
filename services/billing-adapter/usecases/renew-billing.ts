import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** A heartbeat renews billing. An unknown outcome is left to the next heartbeat: nobody is thrown out because the partner is slow (D-12). */
export const renewBilling =
  ({ partner, publish, renewalSkipped }: Ports) =>
  async ({ session }: EventData<'game-session.heartbeat'>): Promise<void> => {
    const { gameSessionId, playDurationSec, lastSeenAtMs } = session;
    const said = await partner.renew(gameSessionId, playDurationSec, lastSeenAtMs);
    if (said.outcome === 'unknown') renewalSkipped();
    if (said.outcome === 'renewed')
      await publish('billing.renewed', { gameSessionId, remainingSec: said.remainingSec });
    if (said.outcome === 'exhausted') await publish('billing.exhausted', { gameSessionId });
  };
