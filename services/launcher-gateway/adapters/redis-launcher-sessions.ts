import type { Rebuild } from '#libs/records/follow-rebuild.ts';
import type { MassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { RecordStore, TrustedServer } from '#libs/records/record-types.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { silenceMs } from '../core/launcher-session.ts';
import type { LauncherSession } from '../core/launcher-session.ts';
import { launcherForm } from './launcher-form.ts';

/** What the Redis keys of launcher sessions begin with. */
export const launchersPrefix = 'gsb:launcher';

interface Options {
  readonly trust?: TrustedServer;
  readonly massExpiryGuard?: MassExpiryGuard;
  /** Whether records are written packed (D-57). */
  readonly packs: boolean;
}

const isLive = ({ state }: LauncherSession): boolean => state === 'live';

/** Launcher sessions in Redis. An id begins with the shard of its PC. */
export const redisLauncherSessions = (
  redis: Redis,
  limits: Limits,
  { packs, ...guards }: Options,
): RecordStore<LauncherSession> =>
  createRecordStore({
    redis,
    prefix: launchersPrefix,
    ...guards,
    ...launcherForm,
    packs,
    idOf: ({ id }) => id,
    ownerOf: ({ pcId }) => pcId,
    shardOf: (id) => id.charAt(0),
    shardOfOwner: shardOfPc,
    amnestyMs: silenceMs(limits),
    heartbeatMs: limits.heartbeatIntervalSec * 1000,
    holdsSeat: isLive,
    expires: isLive,
  });

/**
 * Launcher sessions are on no log: what another server has of them is all there is. A promoted replica may lack the last heartbeats, so
 * that those who are live there have an amnesty (D-24).
 */
export const adoptLaunchers: Rebuild = async () => ({ follow: async () => undefined });
