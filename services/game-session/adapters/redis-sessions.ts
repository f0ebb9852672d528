import type { Redis } from 'ioredis';
import { gameSession } from '#libs/contracts/events/game-sessions.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import type { MassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import type { TrustedServer } from '#libs/records/hot-view.ts';
import { shardOfGameSession, shardOfPc } from '#libs/kernel/shards.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import { plays } from '../core/session.ts';
import type { Ports, SessionChange } from '../ports.ts';

const changeOf = ({ before, after, ...seat }: SessionChange) => {
  const { gameSessionId: id = '', pcId: owner = '' } = after ?? before ?? {};
  return { id, owner, before, after, ...seat };
};

type Restored = Parameters<Ports['sessions']['restore']>[0][number];

const knownOf = ({ session, launcherLapsedAtMs: lapsedAtMs }: Restored) => ({
  ...{ id: session.gameSessionId, owner: session.pcId, record: session },
  ...(lapsedAtMs !== undefined && { mark: lapsedAtMs.toString() }),
});

/** What stands before the keys of game sessions. */
export const sessionsPrefix = 'gsb:game-session';

interface Guards {
  readonly trust?: TrustedServer;
  readonly brake?: MassExpiryGuard;
}

/** Game sessions in Redis: the record, who sits at the PC, and the mark of a lapsed launcher, all in the PC's shard. */
export const redisSessions = (
  redis: Redis,
  limits: Limits,
  { trust, brake }: Guards = {},
): Ports['sessions'] & { due(bite: number): Promise<string[]>; agree(): Promise<void> } => {
  const records = createRecordStore({
    redis,
    prefix: sessionsPrefix,
    trust,
    brake,
    isLive: plays,
    schema: gameSession,
    shardOf: shardOfGameSession,
    shardOfOwner: shardOfPc,
    amnestyMs: (limits.sessionExpirySec + limits.sessionExpirySlackSec) * 1000,
  });
  return {
    due: records.due,
    agree: records.agree,
    look: async (gameSessionId, pcId) => {
      const { nowMs, record, holder, mark, amnestyUntilMs } = await records.look(gameSessionId, pcId);
      return {
        nowMs,
        session: record,
        holder,
        launcherLapsedAtMs: mark === undefined ? undefined : Number(mark),
        amnestyUntilMs,
      };
    },
    commit: (changes) => records.commit(changes.map(changeOf)),
    holderOf: (pcId) => records.holderOf(pcId),
    markLapse: (pcId, lapsedAtMs) => records.mark(pcId, lapsedAtMs?.toString()),
    restore: async (known) => {
      await records.merge(known.map(knownOf));
    },
  };
};
