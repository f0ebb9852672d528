import { fromWire } from '#libs/contracts/wire.ts';
import type { Rebuild } from '#libs/records/hot-view.ts';
import type { MassExpiryGuard } from '#libs/records/mass-expiry-guard.ts';
import { packing } from '#libs/records/packing.ts';
import { createRecordStore } from '#libs/records/record-store.ts';
import type { RecordForm, RecordStore, TrustedServer } from '#libs/records/record-types.ts';
import type { Redis } from '#libs/redis/connection.ts';
import type { Limits } from '#libs/kernel/limits.ts';
import { shardOfPc } from '#libs/kernel/shards.ts';
import { launcherSession, silenceMs } from '../core/launcher-session.ts';
import type { LauncherSession } from '../core/launcher-session.ts';
import { tokenHashOf } from './session-ids.ts';

/** What the Redis keys of launcher sessions begin with. */
export const launchersPrefix = 'gsb:launcher';

interface Options {
  readonly trust?: TrustedServer;
  readonly massExpiryGuard?: MassExpiryGuard;
  /** Whether records are written packed (D-57). */
  readonly packs: boolean;
}

/** Launcher sessions as hashes of Redis. */
export const launcherForm: RecordForm<LauncherSession> = {
  parse: (wire) => fromWire(launcherSession, wire),
  packing: packing(
    {
      texts: {
        state: 's',
        cafe_id: 'c',
        ip: 'a',
        key_id: 'k',
        key_fingerprint: 'f',
      },
      traces: { traceparent: 'x' },
      uuids: { launcher_session_id: 'l' },
      flags: { is_pc_cafe: 'i', is_own_key: 'o' },
      numbers: { last_seen_at_ms: 'h', deadline_at_ms: 'd', ends_at_ms: 'z', pending_since_ms: 'p' },
    },
    {
      usual: { state: 'live', is_pc_cafe: true, deadline_at_ms: 245_000 },
      since: { deadline_at_ms: 'last_seen_at_ms', ends_at_ms: 'last_seen_at_ms' },
    },
  ),
  told: (id, pcId) => ({ id, token_hash: tokenHashOf(id), pc_id: pcId }),
};

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
    holdsSeat: isLive,
    expires: isLive,
  });

/**
 * Launcher sessions are on no log: what another server has of them is all there is. A promoted replica may lack the last heartbeats, so
 * that those who are live there have an amnesty (D-24).
 */
export const adoptLaunchers: Rebuild = async () => ({ follow: async () => undefined });
