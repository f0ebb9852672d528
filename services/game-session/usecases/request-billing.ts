import type { EventMeta } from '#libs/contracts/delivery.ts';
import type { EventData } from '#libs/contracts/events.ts';
import { plays } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/**
 * The partner does not know the billing of a session that beat: where it still plays, billing is asked for on the topic of its end, so that it
 * is not started after its stop (D-60).
 */
export const requestBilling =
  ({ sessions, publish }: Ports) =>
  async ({ gameSessionId }: EventData<'billing.unknown'>, { request }: EventMeta): Promise<void> => {
    const { record: session } = await sessions.read(gameSessionId);
    if (session && plays(session)) await publish('game-session.unbilled', { session }, { request });
  };
