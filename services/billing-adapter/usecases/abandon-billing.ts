import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { stopUntilConfirmed } from './support/stop-until-confirmed.ts';

/** The game session will not be: a billing that was started for it all the same, or is on its way to the partner, is stopped until that is certain (I3). */
export const abandonBilling =
  (ports: Ports) =>
  async ({ gameSessionId }: EventData<'ott.given-back'>): Promise<void> => {
    if (gameSessionId === null) return;
    const nothing = { stoppedAtMs: ports.clock(), playDurationSec: 0, played: null };
    await stopUntilConfirmed(ports)({ gameSessionId, ...nothing, reason: 'given_back' });
  };
