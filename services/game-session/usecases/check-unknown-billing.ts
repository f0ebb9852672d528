import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { endAgain } from './support/end-again.ts';

/** A heartbeat starts billing that the partner does not know: not for long, where play is over (D-60). */
export const checkUnknownBilling =
  (ports: Ports) =>
  async ({ gameSessionId }: EventData<'billing.unknown'>): Promise<void> => {
    const { record } = await ports.sessions.read(gameSessionId);
    if (record) await endAgain(ports, record);
  };
