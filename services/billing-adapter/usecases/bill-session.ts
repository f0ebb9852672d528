import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/**
 * A billing that the partner does not know has a start that is still pending, or was refused before a top-up: it is started under the same
 * id, from its first second (D-08, D-12). The end of a session comes after this in the order of its key; where it was published first
 * nevertheless, its stop is known here, and nothing is started (D-60).
 */
export const billSession =
  ({ partner, stops, publish, renewalSkipped }: Ports) =>
  async ({ session }: EventData<'game-session.unbilled'>, { request }: EventMeta): Promise<void> => {
    const { gameSessionId, state } = session;
    if (stops.confirmedSec(gameSessionId) !== undefined) return;
    const start = await partner.start(session);
    const recharges = state === 'charge_exhausted';
    if (start.outcome === 'unknown') renewalSkipped();
    if (start.outcome === 'refused') await publish('billing.exhausted', { gameSessionId }, { request });
    if (start.outcome === 'started')
      await publish(
        'billing.renewed',
        { gameSessionId, remainingSec: start.remainingSec, recharges },
        { request },
      );
  };
