import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';
import { stopOnce } from './support/stop-until-confirmed.ts';

/** A claim was given back, so its game session never begins: a billing that was or may still be started for it is stopped until confirmed (I3). */
export const abandonBilling =
  (ports: Ports) =>
  async ({ gameSessionId, startedAtMs }: EventData<'ott.given-back'>): Promise<void> => {
    if (gameSessionId === null) return;
    const nothing = { stoppedAtMs: startedAtMs ?? ports.clock(), playDurationSec: 0, played: null };
    await stopOnce(ports)({ gameSessionId, ...nothing, reason: 'given_back' });
  };
