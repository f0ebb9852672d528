import type { EventData } from '#libs/contracts/events.ts';
import type { Ports } from '../ports.ts';

/** The partner confirmed its seconds for a session. */
export const confirmPlay =
  ({ ledger }: Ports) =>
  ({ gameSessionId, partnerPlayDurationSec }: EventData<'billing.stopped'>): Promise<void> =>
    ledger.confirm(gameSessionId, partnerPlayDurationSec);
