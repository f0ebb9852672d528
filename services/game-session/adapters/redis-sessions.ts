import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import { fromWire } from '#libs/contracts/wire.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { MassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import type { TrustedServer } from '#libs/records/record-types.ts';
import { shardOfGameSession, shardOfPc } from '#libs/kernel/shards.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { Redis } from '#libs/redis/connection.ts';
import { plays } from '../core/session.ts';
import type { Ports } from '../ports.ts';

/** What the Redis keys of game sessions begin with. */
export const sessionsPrefix = 'gsb:game-session';

interface Guards {
  readonly trust?: TrustedServer;
  readonly massExpiryGuard?: MassExpiryGuard;
}

/** Game sessions in Redis: the record, who sits at the PC, and since when its launcher is lapsed, all in the PC's shard. */
export const redisSessions = (
  redis: Redis,
  limits: Limits,
  { trust, massExpiryGuard }: Guards = {},
): Ports['sessions'] & { due(batchSize: number): Promise<string[]>; agree(): Promise<void> } => {
  const records = createRecordStore({
    redis,
    prefix: sessionsPrefix,
    trust,
    massExpiryGuard,
    holdsSeat: plays,
    expires: plays,
    parse: (json) => fromWire(gameSession, json),
    idOf: ({ gameSessionId }) => gameSessionId,
    ownerOf: ({ pcId }) => pcId,
    shardOf: shardOfGameSession,
    shardOfOwner: shardOfPc,
    amnestyMs: (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000,
  });
  return {
    due: records.due,
    agree: records.agree,
    look: async (gameSessionId, pcId) => {
      const { record, mark, ...rest } = await records.read(gameSessionId, pcId);
      return { ...rest, session: record, launcherLapsedAtMs: mark === undefined ? undefined : Number(mark) };
    },
    commit: records.commit,
    holderOf: records.holderOf,
    markLapse: (pcId, lapsedAtMs) => records.mark(pcId, lapsedAtMs?.toString()),
    restore: async (known) => {
      const logged = known.map(({ session, launcherLapsedAtMs }) => ({
        record: session,
        mark: launcherLapsedAtMs?.toString(),
      }));
      await records.restore(logged);
    },
  };
};
