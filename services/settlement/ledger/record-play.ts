import type { EventData } from '#libs/contracts/events.ts';
import { sha256 } from '../core/sha256.ts';
import type { Confirmation, LedgerEvent, LedgerPorts, NewEntry } from './ports.ts';

const entryOf = ({ session }: EventData<'game-session.ending'>): NewEntry => {
  const { endedAtMs, endReason, gameId, providerUserId } = session;
  if (endedAtMs === null || endReason === null)
    throw new Error('a session that is ending has an end and a reason');
  const { gameSessionId, cafeId, pcId, startedAtMs, playDurationSec, clientPlayDurationSec } = session;
  const who = { gameSessionId, cafeId, pcId, gameId, userHash: sha256(`${gameId}\n${providerUserId}`) };
  return { ...who, startedAtMs, endedAtMs, endReason, playDurationSec, clientPlayDurationSec };
};

/**
 * Writes an entry for each session that ended and a confirmation for each billing that stopped, a batch in one statement each. A redelivered
 * event changes nothing (I7). Players are stored only as a hash. Rejects UNAVAILABLE when Postgres is away.
 */
export const recordPlay =
  ({ ledger }: LedgerPorts) =>
  async (batch: readonly LedgerEvent[]): Promise<void> => {
    const entries: NewEntry[] = [];
    const confirmations: Confirmation[] = [];
    for (const event of batch) {
      if (event.name === 'game-session.ending') entries.push(entryOf(event.data));
      else confirmations.push(event.data);
    }
    if (entries.length > 0) await ledger.record(entries);
    if (confirmations.length > 0) await ledger.confirm(confirmations);
  };
