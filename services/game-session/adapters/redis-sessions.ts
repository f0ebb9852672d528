import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { MassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import type { RecordRead, RecordStore, TrustedServer } from '#libs/records/record-types.ts';
import { shardOfGameSession, shardOfPc } from '#libs/kernel/shards.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { plays } from '../core/session.ts';
import type { Session } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** What the Redis keys of game sessions begin with. */
export const sessionsPrefix = 'gsb:game-session';

interface Guards {
  readonly trust?: TrustedServer;
  readonly massExpiryGuard?: MassExpiryGuard;
}

/** The mark of a session's owner, its PC, is when the PC's launcher lapsed. */
const withLapse = <T extends RecordRead<Session>>(read: T) => ({
  ...read,
  launcherLapsedAtMs: read.mark === undefined ? undefined : Number(read.mark),
});

/** Game sessions in Redis: the record, who plays at the PC, and when its launcher lapsed, all in the PC's shard. */
export const redisSessions = (
  redis: Redis,
  limits: Limits,
  guards: Guards = {},
): Ports['sessions'] & Pick<RecordStore<Session>, 'due' | 'agree'> => {
  const store = createRecordStore({
    redis,
    prefix: sessionsPrefix,
    ...guards,
    holdsSeat: plays,
    expires: plays,
    parse: (json) => fromWire(gameSession, json),
    idOf: ({ gameSessionId }) => gameSessionId,
    ownerOf: ({ pcId }) => pcId,
    shardOf: shardOfGameSession,
    shardOfOwner: shardOfPc,
    amnestyMs: (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000,
  });
  const { read, update, due, agree, holderOf, mark, restore, restoreMarks, settleContests } = store;
  return {
    due,
    agree,
    holderOf,
    read: async (gameSessionId) => withLapse(await read(gameSessionId)),
    update: (gameSessionId, decide, pcId) =>
      update(gameSessionId, (current) => decide(withLapse(current)), pcId),
    markLauncherLapse: (pcId, lapsedAtMs) => mark(pcId, lapsedAtMs?.toString()),
    restore,
    settleContests,
    restoreLapses: (lapses) =>
      restoreMarks(new Map([...lapses].map(([pcId, atMs]) => [pcId, atMs?.toString()]))),
  };
};
