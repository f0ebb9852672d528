import type { EventData } from '#libs/contracts/events.ts';
import type { Confirmation, NewEntry, Ports } from '../ports.ts';

/** An event that the ledger is written from. */
export type Settled =
  | { readonly name: 'game-session.ending'; readonly data: EventData<'game-session.ending'> }
  | { readonly name: 'billing.stopped'; readonly data: EventData<'billing.stopped'> };

const entryOf = ({ session }: EventData<'game-session.ending'>, hash: Ports['hash']): NewEntry => {
  const { endedAtMs, endReason, gameId, providerUserId } = session;
  if (endedAtMs === null || endReason === null)
    throw new Error('a session that is ending has an end and a reason');
  const { gameSessionId, cafeId, pcId, startedAtMs, playDurationSec, clientPlayDurationSec } = session;
  const who = { gameSessionId, cafeId, pcId, gameId, userHash: hash(`${gameId}\n${providerUserId}`) };
  return { ...who, startedAtMs, endedAtMs, endReason, playDurationSec, clientPlayDurationSec };
};

/**
 * Play is over, and the partner has confirmed its seconds: both are written down once, a fetch at a time, in one statement each (I7).
 * Players are known only by a hash.
 */
export const recordPlay =
  ({ ledger, hash }: Ports) =>
  async (batch: readonly Settled[]): Promise<void> => {
    const entries: NewEntry[] = [];
    const confirmations: Confirmation[] = [];
    for (const event of batch) {
      if (event.name === 'game-session.ending') entries.push(entryOf(event.data, hash));
      else confirmations.push(event.data);
    }
    if (entries.length > 0) await ledger.record(entries);
    if (confirmations.length > 0) await ledger.confirm(confirmations);
  };
