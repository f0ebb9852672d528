import type { EventData } from '#libs/contracts/events.ts';
import type { Confirmation, HashUser, LedgerEvent, NewEntry, RecordPorts } from './ports.ts';

const entryOf = async (
  { session }: EventData<'game-session.ending'>,
  hashUser: HashUser,
): Promise<NewEntry> => {
  const { endedAtMs, endReason, gameId } = session;
  if (endedAtMs === null || endReason === null)
    throw new Error('a session that is ending has an end and a reason');
  const { gameSessionId, cafeId, pcId, startedAtMs, playDurationSec, clientPlayDurationSec } = session;
  const who = { gameSessionId, cafeId, pcId, gameId, userHash: await hashUser(session, endedAtMs) };
  return { ...who, startedAtMs, endedAtMs, endReason, playDurationSec, clientPlayDurationSec };
};

/**
 * Writes an entry for each session that ended and a confirmation for each billing that stopped, a batch in one statement each. A redelivered
 * event changes nothing (I7). Players are stored only as a hash. Rejects UNAVAILABLE when Postgres is away.
 */
export const recordPlay =
  ({ ledger, hashUser }: RecordPorts) =>
  async (batch: readonly LedgerEvent[]): Promise<void> => {
    const entries: NewEntry[] = [];
    const confirmations: Confirmation[] = [];
    for (const event of batch) {
      if (event.name === 'game-session.ending') entries.push(await entryOf(event.data, hashUser));
      else confirmations.push(event.data);
    }
    if (entries.length > 0) await ledger.record(entries);
    if (confirmations.length > 0) await ledger.confirm(confirmations);
  };
